"use client";
import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import { previewQuery, questionsQuery } from "@/lib/api/identity";
import { useStatus } from "@/lib/api/status";
import type { Identity } from "@/lib/api/types";
import { useSettingsText } from "@/lib/i18n/settings";
import { Button } from "@/ui/button";
import { Quote } from "@/ui/evidence";
import { Loading } from "@/ui/faces";
import { Field } from "@/ui/field";
import { Trouble } from "@/ui/trouble";

/** One answer as it would be given now, so that a choice can be heard before it is lived with. */
export function Preview({ identity }: { identity: Identity }) {
  const words = useSettingsText();
  const documents = useStatus().data?.documents ?? 0;
  const suggested = useQuery(questionsQuery(1, documents)).data?.items[0]?.question ?? "";
  const [typed, setTyped] = useState("");
  const [asked, setAsked] = useState("");
  const question = asked === "" ? suggested : asked;
  const said = useQuery(previewQuery(useDeferredValue(identity), question));
  return (
    <section className="preview" aria-labelledby="preview-name">
      <header>
        <h3 id="preview-name">{words.voice.previewTitle}</h3>
        <p className="tiny faint">{words.voice.previewLead}</p>
      </header>
      {documents === 0 ? (
        <p className="small mute">{words.voice.previewNothing}</p>
      ) : (
        <>
          <form
            className="preview-ask"
            onSubmit={(event) => {
              event.preventDefault();
              setAsked(typed.trim());
            }}
          >
            <Field
              label={words.voice.previewQuestion}
              voice="own"
              autoComplete="off"
              maxLength={2000}
              placeholder={suggested}
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
            <Button type="submit" disabled={typed.trim() === ""}>
              {words.voice.previewAgain}
            </Button>
          </form>
          {said.isError ? <Trouble error={said.error} onRetry={() => void said.refetch()} /> : null}
          {said.data ? (
            <div className="preview-said" aria-live="polite">
              <p className="own preview-q">{question}</p>
              {said.data.parts.map((part, place) =>
                part.kind === "quotation" ? (
                  <Quote key={place}>{part.text}</Quote>
                ) : (
                  <p key={place}>{part.text}</p>
                ),
              )}
            </div>
          ) : said.isFetching ? (
            <Loading words={words.voice.previewLoading} lines={2} />
          ) : null}
        </>
      )}
    </section>
  );
}
