"use client";
import { useGoBack, useGoToBase, usePromote, useTrainings } from "@/lib/api/training";
import type { Scorecard, Training } from "@/lib/api/types";
import { useTrainingText } from "@/lib/i18n/training";
import { offerUndoWhen } from "@/lib/undo";
import { Button } from "@/ui/button";
import { Trouble } from "@/ui/trouble";
import { wayBack } from "./views";

/** Take a training into use. One that is not better is taken by a quiet button, which insists. */
export function UseButton({
  run,
  card,
  brief = false,
}: {
  run: Training;
  card: Scorecard;
  brief?: boolean;
}) {
  const t = useTrainingText();
  const runs = useTrainings().data?.items ?? [];
  const promote = usePromote();
  const toBase = useGoToBase();
  const { better } = card.verdict;
  const use = (): void => {
    const before = wayBack(runs, run.id);
    offerUndoWhen(promote.mutateAsync({ id: run.id, insist: !better }), () => ({
      sentence: t.card.used(run.number),
      undo: () => (before ? promote.mutate(before) : toBase.mutate(run.id)),
    }));
  };
  return (
    <>
      <Button
        tone={better && !brief ? "ink" : "quiet"}
        size={brief ? "small" : better ? "big" : "usual"}
        disabled={promote.isPending}
        onClick={use}
        {...(brief ? { "aria-label": t.card.use(run.number) } : {})}
      >
        {better ? (brief ? t.versions.use : t.card.use(run.number)) : t.card.useAnyway}
      </Button>
      {promote.isError ? <Trouble error={promote.error} /> : null}
    </>
  );
}

/** Put what was in use before into the place of the training in use. */
export function GoBackButton({ run }: { run: Training }) {
  const t = useTrainingText();
  const promote = usePromote();
  const back = useGoBack();
  return (
    <>
      <Button
        tone="quiet"
        size="small"
        disabled={back.isPending}
        onClick={() =>
          offerUndoWhen(back.mutateAsync(run.id), () => ({
            sentence: t.card.wentBack,
            undo: () => promote.mutate({ id: run.id, insist: true }),
          }))
        }
      >
        {t.card.goBack}
      </Button>
      {back.isError ? <Trouble error={back.error} /> : null}
    </>
  );
}
