/**
 * How long it may take until a conversation that was opened is measured, and what shows that one
 * goes somewhere oneself.
 */
const MEASURED_MS = 1_500;
const LETS_GO = ["wheel", "touchmove", "pointerdown", "focusin"] as const;

/**
 * Show a conversation where it ended. What stands above is measured a moment later: until then the
 * end is kept in sight. Returns what ends that.
 */
export function openAtItsEnd(box: HTMLElement): () => void {
  const align = (): void =>
    box.querySelector(".exchange.newest")?.scrollIntoView({ block: "start" });
  align();
  const watcher = new ResizeObserver(align);
  const letGo = (): void => watcher.disconnect();
  for (const exchange of box.querySelectorAll(".exchange")) watcher.observe(exchange);
  for (const event of LETS_GO) box.addEventListener(event, letGo, { passive: true });
  const timer = setTimeout(letGo, MEASURED_MS);
  return () => {
    clearTimeout(timer);
    letGo();
    for (const event of LETS_GO) box.removeEventListener(event, letGo);
  };
}
