"use client";
import { LockKeyhole, Send } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState, type ReactNode } from "react";
import { useReadings } from "@/lib/api/arrivals";
import { useIdentity, useSaveIdentity } from "@/lib/api/identity";
import { useHealth } from "@/lib/api/status";
import type { Check } from "@/lib/api/types";
import { rowOf } from "@/lib/arrival-rows";
import { useText } from "@/lib/i18n";
import { takeText, useSkipped } from "@/lib/intake";
import { checkSentence } from "@/lib/said";
import { useTitle } from "@/lib/title";
import { ArrivalList } from "@/ui/arrival-list";
import { Button } from "@/ui/button";
import { DropBox } from "@/ui/drop";
import { Area, Field } from "@/ui/field";
import { Icon } from "@/ui/icon";
import { Trouble } from "@/ui/trouble";
import { RightPage } from "./right-page";
import { SampleLife } from "./sample";

/**
 * First use: an open book. At the left who one is and what one gives; at the right what was read of
 * it, as it is read.
 */
export function Welcome({ tools, onGo }: { tools: ReactNode; onGo: () => void }) {
  const text = useText();
  const router = useRouter();
  const identity = useIdentity().data;
  const save = useSaveIdentity();
  const skipped = useSkipped();
  const readings = useReadings();
  const [name, setName] = useState("");
  const [introduction, setIntroduction] = useState("");
  const [pasting, setPasting] = useState(false);
  const [pasted, setPasted] = useState("");
  const [sample, setSample] = useState(false);
  useTitle("");
  const goOn = (question = ""): void => {
    const leave = (): void => {
      onGo();
      router.replace(question === "" ? "/" : `/?ask=${encodeURIComponent(question)}`);
    };
    if (pasting && pasted.trim() !== "") takeText(pasted);
    if (name.trim() === "") leave();
    else
      save.mutate(
        {
          ...identity,
          name: name.trim(),
          introduction: introduction.trim() || (identity?.introduction ?? ""),
        },
        { onSuccess: leave },
      );
  };
  return (
    <div className="welcome">
      <header className="welcome-top">
        <span className="word">{text.app.name}</span>
        <div className="tools">{tools}</div>
      </header>
      <main className="book" id="page">
        <form
          className="leaf"
          aria-label={text.welcome.left}
          onSubmit={(event) => {
            event.preventDefault();
            goOn();
          }}
        >
          <h1>{text.welcome.title}</h1>
          <p className="lead">{text.welcome.lead}</p>
          <Field
            label={text.welcome.name}
            voice="own"
            autoComplete="off"
            maxLength={200}
            placeholder={identity?.name ?? ""}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
          <Area
            label={text.welcome.introduction}
            voice="own"
            rows={1}
            maxLength={4000}
            value={introduction}
            onChange={(event) => setIntroduction(event.target.value)}
          />
          {pasting ? (
            <div className="pasted">
              <Area
                label={text.add.pasteLabel}
                voice="own"
                placeholder={text.add.pastePlaceholder}
                value={pasted}
                onChange={(event) => setPasted(event.target.value)}
              />
              <div className="row">
                <Button
                  size="small"
                  disabled={pasted.trim() === ""}
                  onClick={() => {
                    takeText(pasted);
                    setPasted("");
                    setPasting(false);
                  }}
                >
                  {text.add.pasteAdd}
                </Button>
                <Button size="small" tone="quiet" onClick={() => setPasting(false)}>
                  {text.add.pasteBack}
                </Button>
              </div>
            </div>
          ) : (
            <DropBox
              aside={
                <button type="button" className="link" onClick={() => setPasting(true)}>
                  {text.add.paste}
                </button>
              }
            >
              <ArrivalList rows={readings.map(rowOf)} most={5} />
              {skipped > 0 ? <p className="tiny faint">{text.add.skipped(skipped)}</p> : null}
            </DropBox>
          )}
          {save.isError ? (
            <div className="pasted">
              <Trouble error={save.error} />
            </div>
          ) : null}
          <p className="folio" aria-hidden="true">
            <span>{text.welcome.left}</span>
            <span>1</span>
          </p>
        </form>
        <RightPage readings={readings} onAsk={goOn} />
      </main>
      <footer className="proof">
        <Proof />
        <div className="go">
          <Button tone="quiet" onClick={() => setSample(true)}>
            {text.welcome.sample}
          </Button>
          <Button tone="ink" size="big" onClick={() => goOn()} disabled={save.isPending}>
            {text.welcome.goOn}
          </Button>
        </div>
      </footer>
      <SampleLife open={sample} onClose={() => setSample(false)} />
    </div>
  );
}

const SHOWN_CHECKS: readonly string[] = [
  "listens_only_here",
  "model_on_disk",
  "model_endpoint",
  "connections_now",
  "folder_private",
];
/**
 * A part that is still starting says nothing against privacy; what listens, what is connected and
 * who can read the folder do.
 */
const PRIVACY_CHECKS: readonly string[] = [
  "listens_only_here",
  "connections_now",
  "folder_private",
];
/** What left because the person let it: no fault, and no promise that nothing leaves. */
const LEFT = "connections_outward";

/** The four checks that were just made. A failed one is named, and then nothing is promised. */
function Proof() {
  const text = useText();
  const query = useHealth();
  if (query.isError) return <p className="p1 not">{text.problem.silentTitle}</p>;
  if (!query.data) {
    return (
      <p className="p1 yet" role="status">
        {text.welcome.checking}
      </p>
    );
  }
  const unsure = query.data.checks.filter(
    (check) => PRIVACY_CHECKS.includes(check.id) && check.state !== "fine",
  );
  const went = query.data.checks.filter(({ id, state }) => id === LEFT && state !== "fine");
  const safe = unsure.length === 0;
  const shown = [
    ...SHOWN_CHECKS.flatMap((id): readonly Check[] =>
      query.data.checks.filter((check) => check.id === id),
    ),
    ...went,
  ];
  const named = unsure.map(({ id }) => text.health[id] ?? id).join(", ");
  return (
    <>
      <p className={safe ? (went.length > 0 ? "p1 went" : "p1") : "p1 not"} role="status">
        <Icon of={safe && went.length > 0 ? Send : LockKeyhole} />
        <span>
          {safe
            ? went.length > 0
              ? text.welcome.onlyLet
              : text.welcome.nothingLeaves
            : text.welcome.notSure(named)}
        </span>
      </p>
      <ul aria-label={text.welcome.checks}>
        {shown.map((check) => (
          <li
            key={check.id}
            className={
              check.state === "broken" || unsure.includes(check)
                ? "not"
                : went.includes(check)
                  ? "went"
                  : undefined
            }
          >
            <b>{text.health[check.id] ?? check.id}</b>
            {checkSentence(check, text, true)}
          </li>
        ))}
      </ul>
    </>
  );
}
