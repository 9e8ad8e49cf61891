"use client";
import { useRouter } from "next/navigation";
import { useState, type SyntheticEvent } from "react";
import { useOpenTable, useTables } from "@/lib/api/discussions";
import { useContacts } from "@/lib/api/people";
import { useRoles } from "@/lib/api/roles";
import type { DiscussionWish, ReadyTable } from "@/lib/api/types";
import { useLanguage } from "@/lib/i18n";
import { useTableText } from "@/lib/i18n/table";
import { Button } from "@/ui/button";
import { Area, Check, Field, Segmented } from "@/ui/field";
import { Trouble } from "@/ui/trouble";
import { TagChoice } from "./tag-choice";
import { tableHref } from "./views";

const STRATEGIES = ["round_robin", "debate", "moderated", "free"] as const;
type Strategy = (typeof STRATEGIES)[number];
const ROUNDS = ["1", "2", "3", "4", "6"] as const;
type Rounds = (typeof ROUNDS)[number];
const roundsOf = (n: number): Rounds => ROUNDS.find((each) => Number(each) >= n) ?? "6";

/** What a table is for and who sits at it; a ready-made one brings its seats and rules along. */
export function NewTable({ ready }: { ready: ReadyTable | null }) {
  const t = useTableText();
  const language = useLanguage();
  const router = useRouter();
  const open = useOpenTable();
  const roles = useRoles().data?.items ?? [];
  const known = useContacts().data?.items ?? [];
  const able = useTables().data?.pages[0]?.with_contacts ?? false;
  const contacts = able ? known.filter(({ state }) => state === "active") : [];
  const [asked, setAsked] = useState<readonly string[]>([]);
  const [tags, setTags] = useState<readonly string[]>([]);
  const [aim, setAim] = useState(ready?.aim ?? "");
  const [twin, setTwin] = useState(true);
  const [seated, setSeated] = useState<readonly string[]>([]);
  const [person, setPerson] = useState("");
  const [strategy, setStrategy] = useState<Strategy>(ready?.strategy ?? "round_robin");
  const [rounds, setRounds] = useState<Rounds>(roundsOf(ready?.rounds ?? 3));
  const [agreement, setAgreement] = useState(ready?.stop.includes("agreement") ?? true);
  const [nothingNew, setNothingNew] = useState(ready?.stop.includes("no_new_evidence") ?? true);
  const [tried, setTried] = useState(false);
  const nobody = ready === null && !twin && seated.length === 0 && asked.length === 0;
  const untagged = ready === null && asked.length > 0 && tags.length === 0;
  const empty = aim.trim() === "";
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    setTried(true);
    if (empty || nobody || untagged) return;
    const who = person.trim() === "" ? [] : [{ kind: "person" as const, name: person.trim() }];
    const wish: DiscussionWish = {
      aim: aim.trim(),
      language,
      strategy,
      rounds: Number(rounds),
      stop: [
        ...(agreement ? (["agreement"] as const) : []),
        ...(nothingNew ? (["no_new_evidence"] as const) : []),
      ],
      ...(ready === null
        ? {
            seats: [
              ...(twin ? [{ kind: "twin" as const }] : []),
              ...asked.map((contact) => ({ kind: "twin" as const, contact })),
              ...seated.map((role) => ({ kind: "role" as const, role })),
              ...who,
            ],
            ...(asked.length > 0 ? { tags: [...tags] } : {}),
          }
        : { template: ready.id }),
    };
    open.mutate(wish, { onSuccess: (made) => router.push(tableHref(made.id)) });
  };
  return (
    <form className="new-table" onSubmit={submit}>
      <Area
        label={t.form.aim}
        voice="own"
        value={aim}
        maxLength={8000}
        onChange={(event) => setAim(event.target.value)}
        {...(tried && empty ? { wrong: t.form.aimMissing } : {})}
      />
      {ready === null ? (
        <fieldset className="new-seats">
          <legend className="label">{t.form.seats}</legend>
          <Check label={t.form.twin} checked={twin} onChange={setTwin} />
          {roles.map((role) => (
            <Check
              key={role.id}
              label={role.name}
              checked={seated.includes(role.id)}
              onChange={(on) =>
                setSeated((now) => (on ? [...now, role.id] : now.filter((id) => id !== role.id)))
              }
            />
          ))}
          {contacts.map(({ id, name }) => (
            <Check
              key={id}
              label={t.form.contact(name)}
              checked={asked.includes(id)}
              onChange={(on) =>
                setAsked((now) => (on ? [...now, id] : now.filter((each) => each !== id)))
              }
            />
          ))}
          {roles.length === 0 ? <p className="tiny faint">{t.form.noRoles}</p> : null}
          <Field
            label={t.form.person}
            hint={t.form.personHint}
            value={person}
            maxLength={80}
            onChange={(event) => setPerson(event.target.value)}
          />
          {tried && nobody ? (
            <p className="tiny wrong" role="alert">
              {t.form.nobody}
            </p>
          ) : null}
        </fieldset>
      ) : null}
      {ready === null && asked.length > 0 ? (
        <>
          <TagChoice
            label={t.form.tags}
            empty={t.form.noTags}
            chosen={tags}
            onChange={setTags}
            wrong={tried && untagged ? t.form.tagsMissing : ""}
          />
          <p className="tiny faint">{t.form.contactsHint}</p>
        </>
      ) : null}
      <div className="new-rules">
        <Segmented
          label={t.form.strategy}
          value={strategy}
          choices={STRATEGIES.map((each) => [each, t.strategies[each]] as const)}
          onChange={setStrategy}
        />
        <p className="tiny faint">{t.means[strategy]}</p>
        <Segmented
          label={t.form.rounds}
          value={rounds}
          choices={ROUNDS.map((each) => [each, each] as const)}
          onChange={setRounds}
        />
        <fieldset className="new-seats">
          <legend className="label">{t.form.stop}</legend>
          <Check label={t.form.agreement} checked={agreement} onChange={setAgreement} />
          <Check label={t.form.noNewEvidence} checked={nothingNew} onChange={setNothingNew} />
        </fieldset>
      </div>
      {open.isError ? <Trouble error={open.error} /> : null}
      <Button type="submit" tone="ink" disabled={open.isPending}>
        {open.isPending ? t.form.opening : t.form.open}
      </Button>
    </form>
  );
}
