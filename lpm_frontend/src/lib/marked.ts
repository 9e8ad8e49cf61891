/** Texts with marks in them: what was looked for, where it stands. */
const [ON, OFF] = ["\u0001", "\u0002"] as const;

/**
 * A text as one reads it, cut at its marks; marks count code points. `tidy` may leave signs out
 * between them.
 */
export function marked(
  text: string,
  marks: readonly { readonly start: number; readonly end: number }[],
  tidy: (text: string) => string = (same) => same,
): readonly { readonly words: string; readonly on: boolean }[] {
  const signs = Array.from(text.replaceAll(ON, " ").replaceAll(OFF, " "));
  let noted = "";
  let at = 0;
  for (const { start, end } of marks.toSorted((a, b) => a.start - b.start)) {
    const from = Math.max(at, start);
    const to = Math.min(end, signs.length);
    if (to <= from) continue;
    noted += signs.slice(at, from).join("") + ON + signs.slice(from, to).join("") + OFF;
    at = to;
  }
  noted += signs.slice(at).join("");
  return tidy(noted)
    .split(ON)
    .flatMap((part, n) => {
      const [on = "", off] = part.split(OFF);
      return n === 0
        ? [{ words: part, on: false }]
        : [
            { words: on, on: true },
            { words: off ?? "", on: false },
          ];
    })
    .filter((part) => part.words !== "");
}
