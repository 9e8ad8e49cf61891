/** Let what was told in a conversation fade, with the way back at the foot of the page. */
import { useConsolidate } from "./api/threads";
import { useFadingText } from "./i18n/fading";
import { offerUndoWhen } from "./undo";

export function useLetFade(): (thread: string) => void {
  const t = useFadingText();
  const { mutate, mutateAsync } = useConsolidate();
  return (id) =>
    offerUndoWhen(mutateAsync({ id, consolidated: false }), () => ({
      sentence: t.fades,
      undo: () => mutate({ id, consolidated: true, decided: false }),
    }));
}
