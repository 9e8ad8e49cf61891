"use client";
import { useBeginSample, useEndSample, useSample, useSampleLink } from "@/lib/api/sample";
import { useText } from "@/lib/i18n";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { Command, Loading } from "@/ui/faces";
import { Trouble } from "@/ui/trouble";

/**
 * An invented person to look around in: a node and a home of its own, so that nothing of her comes
 * among one's own things.
 */
export function SampleLife({ open, onClose }: { open: boolean; onClose: () => void }) {
  const text = useText();
  const query = useSample(open);
  const begin = useBeginSample();
  const end = useEndSample();
  const link = useSampleLink();
  const state = query.data?.state;
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={text.welcome.sampleTitle}
      closeLabel={text.frame.close}
    >
      <div className="sample-what">
        <p>{text.sample.detail}</p>
        {query.isPending ? <Loading words={text.sample.asking} lines={1} /> : null}
        {query.isError ? (
          <Trouble error={query.error} onRetry={() => void query.refetch()} />
        ) : null}
        {state === "absent" ? (
          <p className="mute small">
            {text.sample.absent} <Command>make demo</Command>
          </p>
        ) : null}
        {state === "starting" ? <Loading words={text.sample.starting} lines={1} /> : null}
        {state === "stopped" ? (
          <Button tone="ink" disabled={begin.isPending} onClick={() => begin.mutate()}>
            {text.sample.begin}
          </Button>
        ) : null}
        {state === "running" ? (
          <>
            <p className="small num">{text.sample.running(query.data?.address ?? "")}</p>
            <div className="row wrap">
              <Button
                tone="ink"
                disabled={link.isPending}
                onClick={() =>
                  link.mutate(undefined, { onSuccess: (made) => window.location.assign(made.link) })
                }
              >
                {text.sample.open}
              </Button>
              <Button tone="quiet" disabled={end.isPending} onClick={() => end.mutate()}>
                {text.sample.end}
              </Button>
            </div>
          </>
        ) : null}
        {[begin, link, end].map((action, place) =>
          action.isError ? <Trouble key={place} error={action.error} /> : null,
        )}
        {query.data && state !== "absent" ? (
          <p className="tiny faint">
            {text.sample.home} <Command>{query.data.home}</Command>
          </p>
        ) : null}
      </div>
    </Dialog>
  );
}
