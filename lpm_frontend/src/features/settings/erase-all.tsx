"use client";
import { useConfirmErasure, useProposeAll, useSizes } from "@/lib/api/home";
import { isRunning, useJobs } from "@/lib/api/jobs";
import { useStatus } from "@/lib/api/status";
import { formatBytes, useLanguage, useText } from "@/lib/i18n";
import { useSettingsText } from "@/lib/i18n/settings";
import { Button } from "@/ui/button";
import { ErasurePreview } from "@/ui/erasure";
import { Loading } from "@/ui/faces";
import { Meter } from "@/ui/meter";
import { Trouble } from "@/ui/trouble";
import { Section } from "./section";

/** Everything that was told, for good: counted first, then a word to type, then what is left. */
export function EraseAll() {
  const text = useText();
  const words = useSettingsText();
  const propose = useProposeAll();
  const status = useStatus().data;
  const confirm = useConfirmErasure();
  const erasure = propose.data;
  const job = confirm.data?.job.id;
  return (
    <Section id="erase" title={words.eraseAll.title} lead={words.eraseAll.lead}>
      <div className="erase-all">
        {confirm.isSuccess ? (
          <After job={job ?? ""} />
        ) : erasure ? (
          <ErasurePreview
            erasure={erasure}
            does={words.eraseAll.does}
            busy={confirm.isPending}
            error={confirm.error}
            onKeep={() => {
              propose.reset();
              confirm.reset();
            }}
            onErase={() => confirm.mutate(erasure.token)}
          />
        ) : (
          <>
            {propose.isPending ? <Loading words={text.erase.counting} lines={2} /> : null}
            {propose.isError ? <Trouble error={propose.error} /> : null}
            {status?.documents === 0 ? (
              <p className="small mute">{words.eraseAll.nothing}</p>
            ) : null}
            <div>
              <Button tone="beni" disabled={propose.isPending} onClick={() => propose.mutate()}>
                {words.eraseAll.count}
              </Button>
            </div>
          </>
        )}
      </div>
    </Section>
  );
}

/** How far the traces are taken out; then what the home still holds. */
function After({ job }: { job: string }) {
  const words = useSettingsText();
  const language = useLanguage();
  const known = useJobs().data?.items.find((each) => each.id === job);
  const over = known !== undefined && !isRunning(known);
  const sizes = useSizes(over).data?.items ?? [];
  if (!known || isRunning(known)) {
    return (
      <div className="work" role="status">
        <p className="small">{words.eraseAll.working}</p>
        <Meter value={known?.progress ?? 0} label={words.eraseAll.working} />
      </div>
    );
  }
  const left = sizes
    .filter((each) => each.id === "originals" || each.id === "texts")
    .reduce((sum, each) => sum + each.bytes, 0);
  return (
    <p
      role="status"
      className={known.state === "succeeded" && left === 0 ? "verdict" : "verdict no"}
    >
      {known.state === "succeeded"
        ? words.eraseAll.done(formatBytes(left, language))
        : words.eraseAll.failed}
    </p>
  );
}
