"use client";
import { ArrowRight } from "lucide-react";
import Link from "next/link";
import { useState } from "react";
import { useRole, useRoles } from "@/lib/api/roles";
import { useStatus } from "@/lib/api/status";
import type { Role } from "@/lib/api/types";
import { formatDate, useLanguage, useText, type Language } from "@/lib/i18n";
import type { Text } from "@/lib/i18n/en";
import { Choose } from "@/ui/choose";
import { Icon } from "@/ui/icon";
import type { Cast } from "./spoken-by";

/** What the next answer may look at, and how that is changed. */
export function Looks({ cast }: { cast: Cast }) {
  const text = useText();
  const [open, setOpen] = useState(false);
  const scope = useScope(cast);
  if (scope === "") return null;
  return (
    <div className="looks">
      <Choose label={text.looks.label} chosen={scope} onOpen={() => setOpen(true)}>
        {open ? <Ways cast={cast} /> : null}
      </Choose>
    </div>
  );
}

/** The scope in words; empty until it is known. */
function useScope({ role, seats, together }: Cast): string {
  const text = useText();
  const language = useLanguage();
  const status = useStatus().data;
  const known = useRole(role && role.name !== "" ? role.id : "").data;
  if (seats.length > 0) return together === null ? "" : text.looks.together(together);
  if (role) return known ? roleScope(known, text, language) : "";
  if (!status || status.chunks === 0) return "";
  return status.documents === 0
    ? text.looks.memories(status.private)
    : text.looks.everything(status.documents, status.private);
}

/** How much a role sees, and by what that is limited. */
function roleScope({ sees, passages, of }: Role, text: Text, language: Language): string {
  const kinds = text.library.kinds as Readonly<Record<string, string>>;
  const limits = [
    ...(sees.tags ?? []),
    ...(sees.folder ? [sees.folder] : []),
    ...(sees.kinds ?? []).map((kind) => kinds[kind] ?? kind),
    ...(sees.since ? [text.looks.since(formatDate(sees.since, language))] : []),
    ...(sees.until ? [text.looks.until(formatDate(sees.until, language))] : []),
  ];
  return [text.looks.role(passages, of), ...limits].join(" · ");
}

/** Where else one can talk, with less in view or with everything. */
function Ways({ cast }: { cast: Cast }) {
  const text = useText();
  const roles = useRoles().data?.items ?? [];
  const here = cast.role?.id ?? "";
  const others = roles.filter((role) => role.id !== here);
  return (
    <div className="looks-ways">
      <p className="tiny faint">{text.looks.lead}</p>
      <ul>
        {here === "" && cast.seats.length === 0 ? null : <Way href="/" words={text.looks.all} />}
        {others.map((role) => (
          <Way
            key={role.id}
            href={`/?role=${encodeURIComponent(role.id)}`}
            words={text.looks.with(role.name)}
            means={text.looks.role(role.passages, role.of)}
          />
        ))}
        {here === "" ? null : (
          <Way href={`/roles?id=${encodeURIComponent(here)}`} words={text.looks.change} />
        )}
        <Way href="/roles?new=blank" words={text.looks.fresh} />
        <Way href="/library" words={text.looks.library} />
      </ul>
    </div>
  );
}

function Way({ href, words, means = "" }: { href: string; words: string; means?: string }) {
  return (
    <li>
      <Link href={href}>
        <span>
          {words}
          {means === "" ? null : <span className="tiny faint">{means}</span>}
        </span>
        <Icon of={ArrowRight} />
      </Link>
    </li>
  );
}
