"use client";
import { useState } from "react";
import { useUnlock } from "@/lib/api/people";
import { usePeopleText } from "@/lib/i18n/people";
import { Button } from "@/ui/button";
import { Field } from "@/ui/field";
import { Trouble } from "@/ui/trouble";

/** The passphrase of the keys, typed once until the node ends. Nothing can be signed before. */
export function Unlock() {
  const t = usePeopleText();
  const unlock = useUnlock();
  const [passphrase, setPassphrase] = useState("");
  return (
    <form
      className="unlock"
      onSubmit={(event) => {
        event.preventDefault();
        unlock.mutate(passphrase, { onSuccess: () => setPassphrase("") });
      }}
    >
      <Field
        label={t.reach.passphrase}
        hint={t.reach.passphraseHint}
        type="password"
        autoComplete="current-password"
        value={passphrase}
        maxLength={1000}
        onChange={(event) => setPassphrase(event.target.value)}
      />
      {unlock.isError ? <Trouble error={unlock.error} /> : null}
      <Button
        size="small"
        tone="ink"
        type="submit"
        disabled={unlock.isPending || passphrase === ""}
      >
        {unlock.isPending ? t.reach.unlocking : t.reach.unlock}
      </Button>
    </form>
  );
}
