"use client";
import { useState } from "react";
import { useKeys, useMakeKey, useRevokeKey } from "@/lib/api/models";
import type { Key } from "@/lib/api/types";
import { formatDate, useLanguage, useText } from "@/lib/i18n";
import { Button } from "@/ui/button";
import { CopyButton, Loading } from "@/ui/faces";
import { Check, Field } from "@/ui/field";
import { Trouble } from "@/ui/trouble";
import { Section } from "./section";

type Scope = "chat" | "recall" | "write" | "admin";
const SCOPES: readonly Scope[] = ["chat", "recall", "write", "admin"];
const isScope = (scope: string): scope is Scope => (SCOPES as readonly string[]).includes(scope);

/** Keys with which other programs may call, each shown once and taken back at once. */
export function Keys() {
  const text = useText();
  const query = useKeys();
  return (
    <Section id="keys" title={text.settings.keys} lead={text.settings.keysLead}>
      {query.data ? <KeyList keys={query.data.items} /> : query.isError ? <Trouble error={query.error} onRetry={() => void query.refetch()} /> : <Loading words={text.settings.loading} />}
      <Make />
    </Section>
  );
}

function KeyList({ keys }: { keys: readonly Key[] }) {
  const text = useText();
  const language = useLanguage();
  const revoke = useRevokeKey();
  const [gone, setGone] = useState("");
  return (
    <>
      {keys.length === 0 ? <p className="small faint">{text.settings.keysNone}</p> : null}
      {keys.length > 0 ? (
        <ul className="keylist">
          {keys.map((key) => (
            <li key={key.id}>
              <b>{key.name}</b>
              <span className="faint">{key.scopes.map((scope) => (isScope(scope) ? text.settings.scopes[scope] : scope)).join(", ")}</span>
              <span className="faint num">{text.settings.keyMade(formatDate(key.created_at, language))}</span>
              <Button
                className="push"
                size="small"
                tone="quiet"
                aria-label={text.settings.keyRevokeOf(key.name)}
                disabled={revoke.isPending}
                onClick={() => revoke.mutate(key.id, { onSuccess: () => setGone(key.name) })}
              >
                {text.settings.keyRevoke}
              </Button>
            </li>
          ))}
        </ul>
      ) : null}
      <p className="small mute" role="status">
        {gone === "" ? "" : text.settings.keyRevoked(gone)}
      </p>
      {revoke.isError ? <Trouble error={revoke.error} /> : null}
    </>
  );
}

function Make() {
  const text = useText();
  const make = useMakeKey();
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<readonly Scope[]>(["chat", "recall"]);
  const made = make.data;
  return (
    <form
      className="sec-form"
      onSubmit={(event) => {
        event.preventDefault();
        make.mutate({ name: name.trim(), scopes: [...scopes] }, { onSuccess: () => setName("") });
      }}
    >
      {made ? (
        <div className="onceonly" role="status">
          <p>{text.settings.keyOnce}</p>
          <div className="row">
            <code>{made.key}</code>
            <CopyButton value={made.key} label={text.settings.copy} done={text.settings.copied} />
          </div>
        </div>
      ) : null}
      <Field label={text.settings.keyName} placeholder={text.settings.keyNamePlaceholder} maxLength={100} value={name} onChange={(event) => setName(event.target.value)} />
      <fieldset className="scopes">
        <legend className="label">{text.settings.scopesLabel}</legend>
        {SCOPES.map((scope) => (
          <Check key={scope} label={text.settings.scopes[scope]} checked={scopes.includes(scope)} onChange={(on) => setScopes(on ? [...scopes, scope] : scopes.filter((other) => other !== scope))} />
        ))}
      </fieldset>
      {make.isError ? <Trouble error={make.error} /> : null}
      <div>
        <Button type="submit" disabled={name.trim() === "" || scopes.length === 0 || make.isPending}>
          {text.settings.keyMake}
        </Button>
      </div>
    </form>
  );
}
