import { sealGlyph } from "@/lib/seal";

/** A person's mark: one glyph, pressed. */
export function Seal({
  name,
  size = "m",
  of = "self",
}: {
  name: string;
  size?: "xs" | "s" | "m" | "l";
  /** Whose: your own, a contact's, or that of one who is away or not a contact now. */ of?:
    "self" | "peer" | "away";
}) {
  return (
    <span className={of === "self" ? `seal ${size}` : `seal ${size} ${of}`} aria-hidden="true">
      {sealGlyph(name)}
    </span>
  );
}

/** A role's mark: its sign, drawn as an outline in ink. */
export function RoleSeal({ glyph, size = "m" }: { glyph: string; size?: "xs" | "s" | "m" | "l" }) {
  return (
    <span className={`seal outline ${size}`} aria-hidden="true">
      {glyph}
    </span>
  );
}
