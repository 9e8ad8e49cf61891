"use client";
import { useState } from "react";
import { useKeys, useMakeKey, useRevokeKey } from "@/lib/api/models";
import type { Key } from "@/lib/api/types";
import { formatDate, useLanguage } from "@/lib/i18n";
import { useSettingsText } from "@/lib/i18n/settings";
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
  const words = useSettingsText();
  const query = useKeys();
  return (
    <Section id="keys" title={words.settings.keys} lead={words.settings.keysLead}>
      {query.data ? (
        <KeyList keys={query.data.items} />
      ) : query.isError ? (
        <Trouble error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <Loading words={words.settings.loading} />
      )}
      <Make />
    </Section>
  );
}

function KeyList({ keys }: { keys: readonly Key[] }) {
  const words = useSettingsText();
  const language = useLanguage();
  const revoke = useRevokeKey();
  const [gone, setGone] = useState("");
  return (
    <>
      {keys.length === 0 ? <p className="small faint">{words.settings.keysNone}</p> : null}
      {keys.length > 0 ? (
        <ul className="keylist">
          {keys.map((key) => (
            <li key={key.id}>
              <b>{key.name}</b>
              <span className="faint">
                {key.scopes
                  .map((scope) => (isScope(scope) ? words.settings.scopes[scope] : scope))
                  .join(", ")}
              </span>
              <span className="faint num">
                {words.settings.keyMade(formatDate(key.created_at, language))}
              </span>
              <span className="faint num">
                {key.last_used_at === null
                  ? words.settings.keyUnused
                  : words.settings.keyUsed(formatDate(key.last_used_at, language))}
              </span>
              <Button
                className="push"
                size="small"
                tone="quiet"
                aria-label={words.settings.keyRevokeOf(key.name)}
                disabled={revoke.isPending}
                onClick={() => revoke.mutate(key.id, { onSuccess: () => setGone(key.name) })}
              >
                {words.settings.keyRevoke}
              </Button>
            </li>
          ))}
        </ul>
      ) : null}
      <p className="small mute" role="status">
        {gone === "" ? "" : words.settings.keyRevoked(gone)}
      </p>
      {revoke.isError ? <Trouble error={revoke.error} /> : null}
    </>
  );
}

function Make() {
  const words = useSettingsText();
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
          <p>{words.settings.keyOnce}</p>
          <div className="row">
            <code>{made.key}</code>
            <CopyButton value={made.key} label={words.settings.copy} done={words.settings.copied} />
          </div>
        </div>
      ) : null}
      <Field
        label={words.settings.keyName}
        placeholder={words.settings.keyNamePlaceholder}
        maxLength={100}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <fieldset className="scopes">
        <legend className="label">{words.settings.scopesLabel}</legend>
        {SCOPES.map((scope) => (
          <Check
            key={scope}
            label={words.settings.scopes[scope]}
            checked={scopes.includes(scope)}
            onChange={(on) =>
              setScopes(on ? [...scopes, scope] : scopes.filter((other) => other !== scope))
            }
          />
        ))}
      </fieldset>
      {make.isError ? <Trouble error={make.error} /> : null}
      <div>
        <Button
          type="submit"
          disabled={name.trim() === "" || scopes.length === 0 || make.isPending}
        >
          {words.settings.keyMake}
        </Button>
      </div>
    </form>
  );
}
