"use client";
import { useEffect, useRef, useState } from "react";
import { useLock, useUnlockHome } from "@/lib/api/lock";
import { useText } from "@/lib/i18n";
import { useLockText } from "@/lib/i18n/lock";
import { useTitle } from "@/lib/title";
import { Button } from "@/ui/button";
import { Field } from "@/ui/field";
import { PlainList } from "@/ui/plain-list";
import { Trouble } from "@/ui/trouble";
import { LockedLook } from "./look";

/** The one screen of a locked home. */
export function Locked() {
  const text = useText();
  const words = useLockText();
  const lock = useLock().data;
  const unlock = useUnlockHome();
  const [passphrase, setPassphrase] = useState("");
  useTitle(words.lockedTitle);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const busy = unlock.isPending || unlock.isSuccess;
  return (
    <main className="whole" id="page">
      <div className="leafcard locked">
        <header className="row">
          <span className="word">{text.app.name}</span>
          <span className="push row">
            <LockedLook />
          </span>
        </header>
        <h1>{words.lockedTitle}</h1>
        <p className="mute">{words.lockedLead}</p>
        <form
          className="unlock"
          onSubmit={(event) => {
            event.preventDefault();
            unlock.mutate(passphrase, {
              onSuccess: (link) => {
                setPassphrase("");
                window.location.assign(link);
              },
            });
          }}
        >
          <Field
            label={words.passphrase}
            hint={words.forgotten}
            type="password"
            autoComplete="current-password"
            ref={field}
            maxLength={1000}
            value={passphrase}
            onChange={(event) => setPassphrase(event.target.value)}
          />
          {unlock.isError ? <Trouble error={unlock.error} /> : null}
          <Button tone="ink" type="submit" disabled={busy || passphrase === ""}>
            {words.unlock}
          </Button>
          <p className="small mute" role="status">
            {busy ? words.unlocking : ""}
          </p>
        </form>
        {lock ? <PlainList title={words.plain} names={words.codes} items={lock.plain} /> : null}
      </div>
    </main>
  );
}
