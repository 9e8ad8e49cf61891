"use client";
import Link from "next/link";
import { useRole } from "@/lib/api/roles";
import type { Conversation } from "@/lib/api/types";
import { useText } from "@/lib/i18n";
import { RoleSeal } from "@/ui/seal";

type Speaker = NonNullable<Conversation["role"]>;

/** Gives who speaks: the role of the conversation that is open, or the one that a new conversation will be with; nobody is the second self. */
export function useSpeaker(known: Speaker | null | undefined, wanted: string): Speaker | undefined {
  const asked = useRole(wanted);
  return known ?? (wanted === "" ? undefined : asked.data);
}

/** Says that a role speaks here, and that what has no number is its own words. */
export function SpokenBy({ role }: { role: Speaker }) {
  const text = useText();
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
