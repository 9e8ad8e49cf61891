"use client";
import Link from "next/link";
import { useRole } from "@/lib/api/roles";
import type { Conversation } from "@/lib/api/types";
import { useText } from "@/lib/i18n";
import { RoleSeal } from "@/ui/seal";

interface SpokenByProps {
  /** Who speaks in the conversation that is open. */
  known: Conversation["role"] | null;
  /** The role that a new one will be with. */
  wanted: string;
}

/** Says that a role speaks here, and that what has no number is its own words. */
export function SpokenBy({ known, wanted }: SpokenByProps) {
  const text = useText();
  const asked = useRole(wanted);
  const role = known ?? (wanted === "" ? undefined : asked.data);
  if (!role) return null;
  return (
    <div className="chat-page">
      <p className="spoken-by small">
        <RoleSeal glyph={role.seal} size="s" />
        {role.name === "" ? (
          <span>{text.chat.roleGone}</span>
        ) : (
          <span>
            <Link className="link" href={`/roles?id=${encodeURIComponent(role.id)}`}>
              {text.chat.speaksAs(role.name)}
            </Link>{" "}
            <span className="faint">{text.chat.roleOwn}</span>
          </span>
        )}
      </p>
    </div>
  );
}
