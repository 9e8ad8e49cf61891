/**
 * The node counts code points; JavaScript counts UTF-16 units. Everything that turns one into the
 * other stands here.
 */

/**
 * The UTF-16 index at which the code point number `offset` begins, at most the length of the text.
 */
export function unitIndex(text: string, offset: number): number {
  let index = 0;
  for (let seen = 0; seen < offset && index < text.length; seen += 1) {
    index += (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
  }
  return index;
}

/** How many code points the text holds. */
export function codePointLength(text: string): number {
  let length = 0;
  for (let index = 0; index < text.length; length += 1)
    index += (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
  return length;
}

/** Cut `[start, end)`, counted in code points from `base`, out of a text: before, within, after. */
export function cut(
  text: string,
  start: number,
  end: number,
  base = 0,
): readonly [string, string, string] {
  const from = unitIndex(text, Math.max(0, start - base));
  const to = Math.max(from, unitIndex(text, Math.max(0, end - base)));
  return [text.slice(0, from), text.slice(from, to), text.slice(to)];
}
