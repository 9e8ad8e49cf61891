"use client";
import { useState } from "react";
import { useLock, useLockNow, useRemoveLock, useSetLock } from "@/lib/api/lock";
import { useLockText } from "@/lib/i18n/lock";
import { Button } from "@/ui/button";
import { Loading } from "@/ui/faces";
import { Check, Field } from "@/ui/field";
import { PlainList } from "@/ui/plain-list";
import { Trouble } from "@/ui/trouble";
import { Section } from "./section";

const LEAST = 8;
const MOST = 1000;

/** A passphrase for the home: what it costs stands before what sets it. */
export function LockSection() {
  const words = useLockText();
  const query = useLock();
  const lock = query.data;
  return (
    <Section id="lock" title={words.title} lead={words.lead}>
      {lock ? (
        <>
          <p className="small" role="status">
            {lock.state === "off" ? words.off : words.open}
          </p>
          {lock.trouble ? <p className="small wrong">{lock.trouble}</p> : null}
          {lock.state === "off" ? <SetLock /> : <Kept />}
          <PlainList title={words.plain} names={words.codes} items={lock.plain} />
        </>
      ) : query.isError ? (
        <Trouble error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <Loading words={words.loading} />
      )}
    </Section>
  );
}

function Passphrase(
  props: Readonly<{
    label: string;
    hint?: string;
    wrong?: string;
    fresh?: boolean;
    value: string;
  }> & {
    onChange: (value: string) => void;
  },
) {
  const { fresh = false, onChange, ...rest } = props;
  return (
    <Field
      {...rest}
      type="password"
      autoComplete={fresh ? "new-password" : "current-password"}
      maxLength={MOST}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

/** Set a first passphrase, or with `change` another one. */
function SetLock({ change = false, onDone }: { change?: boolean; onDone?: () => void }) {
  const words = useLockText();
  const set = useSetLock();
  const [before, setBefore] = useState("");
  const [passphrase, setPassphrase] = useState("");
  const [again, setAgain] = useState("");
  const [understood, setUnderstood] = useState(false);
  const differs = again !== "" && again !== passphrase;
  const ready =
    passphrase.length >= LEAST && again === passphrase && understood && (!change || before !== "");
  return (
    <form
      className="lock-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (ready)
          set.mutate(change ? { passphrase, before } : { passphrase }, {
            onSuccess: () => onDone?.(),
          });
      }}
    >
      <ul className="small mute">
        <li>{words.before1}</li>
        <li>{words.before2}</li>
        <li>{words.before3}</li>
      </ul>
      {change ? <Passphrase label={words.before} value={before} onChange={setBefore} /> : null}
      <Passphrase
        fresh
        label={words.passphrase}
        hint={words.passphraseHint}
        value={passphrase}
        onChange={setPassphrase}
      />
      <Passphrase
        fresh
        label={words.again}
        value={again}
        onChange={setAgain}
        {...(differs ? { wrong: words.differs } : {})}
      />
      <Check label={words.understood} checked={understood} onChange={setUnderstood} />
      {set.isError ? <Trouble error={set.error} /> : null}
      <div className="sec-foot">
        <Button type="submit" disabled={!ready || set.isPending}>
          {set.isPending ? words.setting : change ? words.change : words.set}
        </Button>
        {onDone ? (
          <Button tone="quiet" onClick={onDone}>
            {words.keep}
          </Button>
        ) : null}
      </div>
    </form>
  );
}

/** What can be done with a home that has a passphrase. */
function Kept() {
  const words = useLockText();
  const now = useLockNow();
  const [doing, setDoing] = useState<"change" | "remove" | null>(null);
  if (doing === "change") return <SetLock change onDone={() => setDoing(null)} />;
  if (doing === "remove") return <Remove onDone={() => setDoing(null)} />;
  return (
    <>
      <div className="sec-foot">
        <Button tone="ink" disabled={now.isPending || now.isSuccess} onClick={() => now.mutate()}>
          {words.now}
        </Button>
        <Button tone="quiet" onClick={() => setDoing("change")}>
          {words.change}
        </Button>
        <Button tone="quiet" onClick={() => setDoing("remove")}>
          {words.remove}
        </Button>
      </div>
      {now.isError ? <Trouble error={now.error} /> : null}
      <p className="small mute" role="status">
        {now.isSuccess ? words.locking : ""}
      </p>
    </>
  );
}

function Remove({ onDone }: { onDone: () => void }) {
  const words = useLockText();
  const remove = useRemoveLock();
  const [passphrase, setPassphrase] = useState("");
  return (
    <form
      className="lock-form"
      onSubmit={(event) => {
        event.preventDefault();
        remove.mutate(passphrase);
      }}
    >
      <Passphrase label={words.before} value={passphrase} onChange={setPassphrase} />
      {remove.isError ? <Trouble error={remove.error} /> : null}
      <div className="sec-foot">
        <Button tone="beni" type="submit" disabled={passphrase === "" || remove.isPending}>
          {remove.isPending ? words.removing : words.remove}
        </Button>
        <Button tone="quiet" onClick={onDone}>
          {words.keep}
        </Button>
      </div>
    </form>
  );
}
