/**
 * The one glyph that stands for a person: a Han character of the name if it has one, the last
 * word's first; else the first letter.
 */
export function sealGlyph(name: string): string {
  const words = name.trim().split(/\s+/u);
  for (const word of words.toReversed()) {
    const han = /\p{Script=Han}/u.exec(word);
    if (han) return han[0];
  }
  const [first] = new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(name.trim());
  return first ? first.segment.toLocaleUpperCase() : "私";
}
