"use client";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useModels } from "@/lib/api/models";
import { togetherQuery, useRole, useRoles } from "@/lib/api/roles";
import type { Conversation, ConversationWhole } from "@/lib/api/types";
import { useText } from "@/lib/i18n";
import { Segmented } from "@/ui/field";
import { RoleSeal } from "@/ui/seal";

type Speaker = NonNullable<Conversation["role"]>;
export type Seat = NonNullable<Conversation["cast"]>[number];

/** Stands for every role of a conversation, one after the other. */
export const EVERYONE = "*";

/**
 * Who speaks in the conversation that is open, or will in a new one: a role, several, or nobody but
 * the second self.
 */
export interface Cast {
  readonly role: Speaker | undefined;
  readonly seats: readonly Seat[];
  /** Passages that several of them see together. */
  readonly together: number | null;
}

/**
 * Gives who speaks: in the conversation that is open, else those that a new one was wanted with.
 */
export function useCast(known: ConversationWhole | undefined, wanted: readonly string[]): Cast {
  const several = wanted.length > 1;
  const one = useRole(wanted.length === 1 ? (wanted[0] ?? "") : "");
  const all = useRoles(several);
  const sight = useQuery({ ...togetherQuery(wanted), enabled: several });
  if (known)
    return {
      role: (known.cast ?? []).length > 0 ? undefined : (known.role ?? undefined),
      seats: known.cast ?? [],
      together: known.together ?? null,
    };
  if (!several)
    return { role: wanted.length === 1 ? one.data : undefined, seats: [], together: null };
  const seats = wanted.flatMap((id) => all.data?.items.find((role) => role.id === id) ?? []);
  return {
    role: undefined,
    seats: seats.map(({ id, name, seal }) => ({ id, name, seal, turns: 0 })),
    together: sight.data?.passages ?? null,
  };
}

/**
 * Whose turn it is: who spoke least, in the order of the cast. The node says so too; here it is
 * shown before.
 */
export function nextOf(seats: readonly Seat[]): Seat | undefined {
  return seats
    .filter((seat) => seat.name !== "")
    .reduce<Seat | undefined>(
      (least, seat) => (least && least.turns <= seat.turns ? least : seat),
      undefined,
    );
}

/** Says that a role speaks here, and that what has no number is its own words. */
export function SpokenBy({ cast: { role, seats, together } }: { cast: Cast }) {
  const text = useText();
  if (seats.length > 0) {
    return (
      <div className="chat-page">
        <ul className="seats small">
          {seats.map((seat) => (
            <li key={seat.id}>
              <RoleSeal glyph={seat.seal} size="s" />
              <Link className="link" href={`/roles?id=${encodeURIComponent(seat.id)}`}>
                {text.chat.castCount(seat.name || text.chat.roleSomebody, seat.turns)}
              </Link>
            </li>
          ))}
        </ul>
        {together === null ? null : (
          <p className="tiny faint">{text.chat.castTogether(together)}</p>
        )}
        <p className="tiny faint">{text.chat.castOwn}</p>
      </div>
    );
  }
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

/**
 * Before a role is first asked: that the model which comes along plays it poorly, and where a
 * bigger one is chosen. Nothing where another one is in use.
 */
export function SmallModel() {
  const text = useText();
  const small =
    useModels().data?.items.some((model) => model.active && model.kind === "bundled") ?? false;
  if (!small) return null;
  return (
    <div className="chat-page">
      <p className="small-model small">
        {text.chat.roleSmall}{" "}
        <Link className="link" href="/settings#model">
          {text.chat.roleBigger}
        </Link>
      </p>
    </div>
  );
}

/** Who of several answers next: whose turn it is, one that is chosen, or all of them. */
export function Seats({
  seats,
  to,
  onTo,
}: {
  seats: readonly Seat[];
  to: string;
  onTo: (to: string) => void;
}) {
  const text = useText();
  const there = seats.filter((seat) => seat.name !== "");
  const next = nextOf(seats);
  return (
    <div className="seats-ask">
      <Segmented
        label={text.chat.castWho}
        value={to === EVERYONE || there.some((seat) => seat.id === to) ? to : ""}
        choices={[
          ["", text.chat.castNext(next?.name ?? "")],
          [EVERYONE, text.chat.castAll],
          ...there.map((seat) => [seat.id, seat.name] as const),
        ]}
        onChange={onTo}
      />
    </div>
  );
}
