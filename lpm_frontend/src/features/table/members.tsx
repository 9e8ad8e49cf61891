import type { TableMember } from "@/lib/api/types";
import type { TableText } from "@/lib/i18n/table";
import { RoleSeal, Seal } from "@/ui/seal";
import { sealGlyph } from "@/lib/seal";

/** How the host of a table is named at it, as their node writes it. */
export const ME = "me";

/** Whether this is the person, at a table of theirs. */
export const isMe = (member: TableMember): boolean => member.id === ME && member.mine !== false;

export const nameOf = (member: TableMember, t: TableText): string =>
  isMe(member) ? t.you : member.name;

/** Somebody's mark: red is the person and their second self, an outline is a role. */
export function MemberSeal({
  member,
  size = "m",
}: {
  member: TableMember;
  size?: "xs" | "s" | "m";
}) {
  if (member.kind === "role") return <RoleSeal glyph={sealGlyph(member.name)} size={size} />;
  const own = isMe(member) || (member.kind === "twin" && member.mine !== false);
  return <Seal name={member.name} size={size} of={own ? "self" : "peer"} />;
}
