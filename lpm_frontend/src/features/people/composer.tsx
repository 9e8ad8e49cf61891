"use client";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useCallback, useEffect, useMemo, useState, type ReactNode } from "react";
import { useContacts, useGive, useGrantPreview, useTemplates } from "@/lib/api/people";
import type { Contact, GrantTemplate } from "@/lib/api/types";
import { useCommand } from "@/lib/commands";
import { today } from "@/lib/days";
import { useLanguage } from "@/lib/i18n";
import { usePeopleText } from "@/lib/i18n/people";
import { Button } from "@/ui/button";
import { Empty, Loading } from "@/ui/faces";
import { Field, Segmented } from "@/ui/field";
import { Trouble } from "@/ui/trouble";
import { Covers } from "./covers";
import { draftOf, missingOf, partsOf, saidIn, scopeOf, wishOf, type Draft } from "./draft";
import { PeerSeal, PeoplePage } from "./page";
import { Choices } from "./choices";
import { peopleHref } from "./views";
import { wordsOf, type Token } from "./words";

/** Choices come quickly one after the other; the node counts once they rest for so long. */
const REST_MS = 250;

/** Write a grant: a sentence whose parts are choices, and beside it what it covers. */
export function Composer({ id }: { id: string }) {
  const t = usePeopleText();
  const contacts = useContacts();
  const templates = useTemplates();
  const failed = contacts.error ?? templates.error;
  if (!contacts.data || !templates.data)
    return (
      <PeoplePage view="grants">
        {failed ? (
          <Trouble
            error={failed}
            onRetry={() => void Promise.all([contacts.refetch(), templates.refetch()])}
          />
        ) : (
          <Loading words={t.people.loading} lines={5} />
        )}
      </PeoplePage>
    );
  const active = contacts.data.items.filter((contact) => contact.state === "active");
  const [first] = templates.data.items;
  if (active.length === 0 || !first) {
    return (
      <PeoplePage view="grants">
        <Empty title={t.give.nobody}>
          <Link className="btn" href={peopleHref("contacts")}>
            {t.people.all}
          </Link>
        </Empty>
      </PeoplePage>
    );
  }
  return <Writing contacts={active} templates={templates.data.items} first={first} id={id} />;
}

interface WritingProps {
  contacts: readonly Contact[];
  templates: readonly GrantTemplate[];
  first: GrantTemplate;
  id: string;
}

function Writing({ contacts, templates, first, id }: WritingProps) {
  const t = usePeopleText();
  const language = useLanguage();
  const router = useRouter();
  const give = useGive();
  const [draft, setDraft] = useState<Draft>(() => draftOf(first, today()));
  const [to, setTo] = useState(
    () => contacts.find((contact) => contact.id === id)?.id ?? contacts[0]?.id ?? "",
  );
  const [open, setOpen] = useState<Token | null>(null);
  useCommand(
    "stop",
    useCallback(() => setOpen(null), []),
  );
  const template = templates.find(({ name }) => name === draft.template) ?? first;
  const contact = contacts.find((each) => each.id === to) ?? contacts[0];
  const lacks = missingOf(draft, template.tagged, today());
  const missing = lacks === null ? "" : t.give.needs[lacks];
  const rested = useRested(draft);
  const preview = useGrantPreview(
    useMemo(() => scopeOf(wishOf(rested)), [rested]),
    missingOf(rested, isTagged(templates, rested), today()) === null,
  );
  if (!contact) return null;
  const change = (changed: Partial<Draft>): void => setDraft({ ...draft, ...changed });
  const words = wordsOf(saidIn(draft), contact.name, template.tagged, t, language);
  const send = (): void =>
    void give.mutateAsync({ ...wishOf(draft), contact: contact.id }).then(
      () => router.push(peopleHref("contacts", contact.id)),
      () => undefined,
    );
  return (
    <PeoplePage
      view="grants"
      label={t.cover.label}
      beside={
        <Beside>
          <Covers
            preview={preview.data}
            error={preview.error}
            missing={missing}
            stale={preview.isPlaceholderData || preview.isFetching}
            allow={draft.allow}
            onAllow={(allow) => change({ allow })}
          />
        </Beside>
      }
    >
      <div className="give">
        <header className="give-who">
          <PeerSeal contact={contact} size="l" />
          <h2>{t.give.title(contact.name)}</h2>
        </header>
        <Segmented
          label={t.give.template}
          value={draft.template}
          choices={templates.map(({ name }) => [name, t.give.templates[name]] as const)}
          onChange={(name) =>
            setDraft(draftOf(templates.find((each) => each.name === name) ?? first, today(), draft))
          }
        />
        <p className="small mute give-means">{t.give.templateMeans[draft.template]}</p>
        <p className="give-sentence">
          {partsOf(t.give.sentence).map((part, at) =>
            "words" in part ? (
              part.words
            ) : (
              <TokenButton
                key={at}
                token={part.name as Token}
                words={words[part.name as Token]}
                open={open === part.name}
                fixed={part.name === "who" && contacts.length === 1}
                onPress={() => setOpen(open === part.name ? null : (part.name as Token))}
              />
            ),
          )}
        </p>
        {open === null ? null : (
          <div
            className="give-panel"
            id="give-panel"
            role="group"
            aria-label={open === "who" ? t.give.to : t.give.parts[open]}
          >
            <Choices
              token={open}
              draft={draft}
              onChange={change}
              contacts={contacts}
              to={contact.id}
              onTo={setTo}
            />
          </div>
        )}
        <Field
          label={t.give.purpose}
          hint={t.give.purposeHint}
          value={draft.purpose}
          maxLength={80}
          placeholder={draft.tags.join(", ")}
          onChange={(event) => change({ purpose: event.target.value })}
        />
        <Field
          label={t.give.words}
          hint={t.give.wordsHint}
          voice="own"
          value={draft.words}
          maxLength={2000}
          onChange={(event) => change({ words: event.target.value })}
        />
        {give.isError ? <Trouble error={give.error} /> : null}
        <div className="give-foot">
          {preview.data && missing === "" ? (
            <p className="small num give-count">{t.grant.covers(preview.data.rows)}</p>
          ) : null}
          <div className="row wrap">
            <Button
              tone="ink"
              size="big"
              disabled={give.isPending || missing !== ""}
              onClick={send}
            >
              {t.give.do(contact.name)}
            </Button>
            <Link className="btn quiet" href={peopleHref("contacts", contact.id)}>
              {t.give.not}
            </Link>
          </div>
        </div>
        <p className="small mute">{missing === "" ? t.give.always : missing}</p>
      </div>
    </PeoplePage>
  );
}

const isTagged = (templates: readonly GrantTemplate[], draft: Draft): boolean =>
  templates.find(({ name }) => name === draft.template)?.tagged ?? false;

/** The margin's heading, which names it for the eye as its label does for the ear. */
function Beside({ children }: { children: ReactNode }) {
  const t = usePeopleText();
  return (
    <>
      <h2 className="label">{t.cover.label}</h2>
      {children}
    </>
  );
}

interface TokenProps {
  token: Token;
  words: string;
  open: boolean;
  fixed: boolean;
  onPress: () => void;
}

/** A part of the sentence that opens its choices. */
function TokenButton({ token, words, open, fixed, onPress }: TokenProps) {
  const t = usePeopleText();
  if (fixed) return <b className="token name">{words}</b>;
  return (
    <button
      type="button"
      className={token === "who" ? "token name" : "token"}
      aria-expanded={open}
      aria-controls={open ? "give-panel" : undefined}
      aria-label={t.give.choose(words)}
      onClick={onPress}
    >
      {words}
    </button>
  );
}

/** The last value that rested for a moment. */
function useRested<T>(value: T): T {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), REST_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return rested;
}
