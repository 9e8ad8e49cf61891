import type { TableMember } from "@/lib/api/types";
import type { TableText } from "@/lib/i18n/table";
import { RoleSeal, Seal } from "@/ui/seal";
import { sealGlyph } from "@/lib/seal";

/** How the person is named at a table, as the node writes it. */
export const ME = "me";

export const nameOf = (member: TableMember, t: TableText): string =>
  member.id === ME ? t.you : member.name;

/** Somebody's mark: red is the person and their second self, an outline is a role. */
export function MemberSeal({
  member,
  size = "m",
}: {
  member: TableMember;
  size?: "xs" | "s" | "m";
}) {
  if (member.kind === "role") return <RoleSeal glyph={sealGlyph(member.name)} size={size} />;
  const own = member.id === ME || member.kind === "twin";
  return <Seal name={member.name} size={size} of={own ? "self" : "peer"} />;
}
