"use client";
import { ArrowLeft } from "lucide-react";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useDeferredValue, useState } from "react";
import { useCounts } from "@/lib/api/library";
import { useKeepRole, useRoles, useRoleStarters } from "@/lib/api/roles";
import type { RoleWish, Sees } from "@/lib/api/types";
import { useLanguage, useText } from "@/lib/i18n";
import { useRolesText } from "@/lib/i18n/roles";
import { offerUndoWhen } from "@/lib/undo";
import { Bar } from "@/ui/bar";
import { Button } from "@/ui/button";
import { Choose, Options } from "@/ui/choose";
import { Empty, Loading } from "@/ui/faces";
import { Area, Check, Field, Segmented } from "@/ui/field";
import { Icon } from "@/ui/icon";
import { Trouble } from "@/ui/trouble";
import { Sight } from "./sight";
import { Trial } from "./trial";

const EMPTY: RoleWish = {
  name: "",
  purpose: "",
  prompt: "",
  seal: "",
  speech: { style: "", length: "normal", manner: "usual", temperature: 0.7 },
  sees: {
    tags: [],
    kinds: [],
    memory_kinds: [],
    folder: "",
    since: null,
    until: null,
    private: false,
  },
};
const LENGTHS = ["short", "normal", "full"] as const;
const MANNERS = ["usual", "plain", "warm", "formal"] as const;
const FREEDOM = ["0.2", "0.7", "1.1"] as const;
const MEMORY_KINDS = ["world", "experience", "opinion", "observation", "passage"] as const;

/** One role: what it is, what it sees, and how it sounds, side by side. */
export function Workbench({ id, begun }: { id: string; begun: string }) {
  const t = useRolesText();
  const language = useLanguage();
  const roles = useRoles();
  const starters = useRoleStarters(language);
  const known = roles.data?.items.find((role) => role.id === id);
  const starter = starters.data?.items.find((one) => one.id === begun);
  const waiting = id !== "" ? roles.isPending : begun !== "blank" && starters.isPending;
  const error = id !== "" ? roles.error : starters.error;
  const wish: RoleWish | undefined =
    id !== ""
      ? known
      : begun === "blank"
        ? EMPTY
        : starter && { ...EMPTY, ...starter, sees: EMPTY.sees ?? {} };
  return (
    <>
      <Bar title={known?.name ?? starter?.name ?? t.form.fresh}>
        <Link className="ib" href="/roles">
          <Icon of={ArrowLeft} />
          <span className="where-wide">{t.form.back}</span>
        </Link>
      </Bar>
      {waiting ? <Loading words={t.cast.loading} lines={5} /> : null}
      {error ? <Trouble error={error} /> : null}
      {!waiting && !error && !wish ? (
        <Empty title={t.form.lost}>
          <Link className="btn" href="/roles">
            {t.form.back}
          </Link>
        </Empty>
      ) : null}
      {wish ? (
        <Form
          key={`${id} ${begun} ${language}`}
          id={id}
          starter={starter?.id ?? ""}
          before={wish}
        />
      ) : null}
    </>
  );
}

function Form({ id, starter, before }: { id: string; starter: string; before: RoleWish }) {
  const text = useText();
  const t = useRolesText();
  const router = useRouter();
  const keep = useKeepRole();
  const counts = useCounts({}).data;
  const [wish, setWish] = useState<RoleWish>(() => onlyWish(before));
  const [tried, setTried] = useState(false);
  const speech = { ...EMPTY.speech, ...wish.speech };
  const sees: Sees = { ...EMPTY.sees, ...wish.sees };
  const change = (what: Partial<RoleWish>): void => setWish((now) => ({ ...now, ...what }));
  const speak = (what: Partial<typeof speech>): void => change({ speech: { ...speech, ...what } });
  const look = (what: Partial<Sees>): void => change({ sees: { ...sees, ...what } });
  const whole = wish.name.trim() !== "" && wish.prompt.trim() !== "";
  const seen = useDeferredValue(wish.sees ?? {});
  const options = (
    known: Readonly<Record<string, number>> | undefined,
    words: (value: string) => string = (value) => value,
  ) =>
    Object.entries(known ?? {})
      .filter(([value, count]) => value !== "" && value !== "/" && count > 0)
      .map(([value, count]) => ({ value, words: words(value), count }));
  const kindWord = (kind: string): string =>
    (text.library.kinds as Readonly<Record<string, string>>)[kind] ?? kind;
  const freedom = FREEDOM.reduce((best, each) =>
    Math.abs(Number(each) - (speech.temperature ?? 0.7)) <
    Math.abs(Number(best) - (speech.temperature ?? 0.7))
      ? each
      : best,
  );
  const save = (): void => {
    setTried(true);
    if (!whole) return;
    const kept = keep.mutateAsync(
      { id, starter, wish },
      { onSuccess: () => router.push("/roles") },
    );
    offerUndoWhen(kept, (made) =>
      id === ""
        ? null
        : {
            sentence: t.form.kept(made.name),
            undo: () => keep.mutate({ id, starter, wish: onlyWish(before) }),
          },
    );
  };
  return (
    <div className="cols roles-cols">
      <form
        className="main roles-form"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <section aria-labelledby="role-words">
          <h2 className="part" id="role-words">
            {t.form.words}
          </h2>
          <Field
            label={t.form.name}
            maxLength={80}
            autoComplete="off"
            value={wish.name}
            wrong={tried && wish.name.trim() === "" ? t.form.nameMissing : ""}
            onChange={(event) => change({ name: event.target.value })}
          />
          <Field
            label={t.form.purpose}
            maxLength={200}
            autoComplete="off"
            value={wish.purpose ?? ""}
            onChange={(event) => change({ purpose: event.target.value })}
          />
          <Area
            label={t.form.prompt}
            hint={t.form.promptHint}
            voice="own"
            rows={5}
            maxLength={8_000}
            value={wish.prompt}
            wrong={tried && wish.prompt.trim() === "" ? t.form.promptMissing : ""}
            onChange={(event) => change({ prompt: event.target.value })}
          />
          <Field
            label={t.form.style}
            maxLength={500}
            autoComplete="off"
            value={speech.style ?? ""}
            onChange={(event) => speak({ style: event.target.value })}
          />
          <div className="pair">
            <Segmented
              label={t.form.length}
              value={speech.length ?? "normal"}
              choices={LENGTHS.map((each) => [each, t.form.lengths[each]] as const)}
              onChange={(length) => speak({ length })}
            />
            <Segmented
              label={t.form.manner}
              value={speech.manner ?? "usual"}
              choices={MANNERS.map((each) => [each, t.form.manners[each]] as const)}
              onChange={(manner) => speak({ manner })}
            />
            <Segmented
              label={t.form.free}
              value={freedom}
              choices={FREEDOM.map((each) => [each, t.form.freedom[each]] as const)}
              onChange={(each) => speak({ temperature: Number(each) })}
            />
          </div>
        </section>
        <section aria-labelledby="role-limit">
          <h2 className="part" id="role-limit">
            {t.form.limit}
          </h2>
          <div className="role-limits">
            <Choose label={t.form.tags} chosen={(sees.tags ?? []).join(", ")}>
              <Options
                options={options(counts?.tags)}
                chosen={sees.tags ?? []}
                empty={t.form.noTags}
                onChange={(tags) => look({ tags: [...tags] })}
              />
            </Choose>
            <Choose label={t.form.kinds} chosen={(sees.kinds ?? []).map(kindWord).join(", ")}>
              <Options
                options={options(counts?.kinds, kindWord)}
                chosen={sees.kinds ?? []}
                empty={t.form.noKinds}
                onChange={(kinds) => look({ kinds: [...kinds] as NonNullable<Sees["kinds"]> })}
              />
            </Choose>
            <Choose
              label={t.form.memoryKinds}
              chosen={(sees.memory_kinds ?? [])
                .map((kind) => text.statements.names[kind])
                .join(", ")}
            >
              <Options
                options={MEMORY_KINDS.map((value) => ({
                  value,
                  words: text.statements.names[value],
                }))}
                chosen={sees.memory_kinds ?? []}
                empty=""
                onChange={(kinds) =>
                  look({ memory_kinds: MEMORY_KINDS.filter((each) => kinds.includes(each)) })
                }
              />
            </Choose>
            <Choose label={t.form.folder} chosen={sees.folder ?? ""}>
              <Options
                single
                options={options(counts?.folders)}
                chosen={sees.folder ? [sees.folder] : []}
                empty={t.form.noFolders}
                onChange={([folder]) => look({ folder: folder ?? "" })}
              />
            </Choose>
          </div>
          <div className="pair">
            <Field
              label={t.form.since}
              type="date"
              value={dayOf(sees.since)}
              onChange={(event) => look({ since: momentOf(event.target.value) })}
            />
            <Field
              label={t.form.until}
              type="date"
              value={dayOf(sees.until)}
              onChange={(event) => look({ until: momentOf(event.target.value) })}
            />
          </div>
          <Check
            label={t.form.private}
            means={t.form.privateMeans}
            checked={sees.private ?? false}
            onChange={(on) => look({ private: on })}
          />
        </section>
        {keep.isError ? <Trouble error={keep.error} /> : null}
        <Button tone="ink" type="submit" disabled={keep.isPending}>
          {t.form.keep}
        </Button>
      </form>
      <aside className="margin roles-beside" aria-label={t.sight.title}>
        <Sight sees={seen} />
        <Trial wish={wish} whole={whole} />
      </aside>
    </div>
  );
}

/** What is sent of a role: not what the node adds to it. */
const onlyWish = ({ name, purpose, prompt, seal, speech, sees }: RoleWish): RoleWish => ({
  name,
  prompt,
  purpose: purpose ?? "",
  seal: seal ?? "",
  speech: speech ?? {},
  sees: sees ?? {},
});

const two = (n: number): string => String(n).padStart(2, "0");
/** The day of a moment, where the person is. */
function dayOf(moment: string | null | undefined): string {
  if (!moment) return "";
  const day = new Date(moment);
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}
const momentOf = (day: string): string | null =>
  day === "" ? null : new Date(`${day}T00:00:00`).toISOString();
