import { sealGlyph } from "@/lib/seal";

/** A person's mark: one glyph, pressed. */
export function Seal({ name, size = "m" }: { name: string; size?: "xs" | "s" | "m" | "l" }) {
  return (
    <span className={`seal ${size}`} aria-hidden="true">
      {sealGlyph(name)}
    </span>
  );
}
