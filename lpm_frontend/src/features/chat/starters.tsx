"use client";
import { useQuery } from "@tanstack/react-query";
import { ArrowRight } from "lucide-react";
import { useDocuments } from "@/lib/api/documents";
import { questionsQuery } from "@/lib/api/identity";
import { send } from "@/lib/commands";
import { useText } from "@/lib/i18n";
import { Button } from "@/ui/button";
import { Empty } from "@/ui/faces";
import { Icon } from "@/ui/icon";

/** The empty face of chat: what one can ask, with three beginnings made from the library. */
export function Starters({ onAsk, empty }: { onAsk: (question: string) => void; empty: boolean }) {
  const text = useText();
  const documents = useDocuments().data?.pages[0]?.items ?? [];
  const asked = useQuery(questionsQuery(3, documents.length));
  const questions = asked.data?.items ?? [];
  const waiting = asked.isLoading;
  const titles = documents
    .filter((document) => document.state === "ready" && !document.private)
    .slice(0, 3);
  // Questions that have an answer here; until they are made, or where none could be, the titles.
  const beginnings =
    questions.length > 0
      ? questions.map(({ question }) => question)
      : waiting
        ? []
        : titles.map((document) => text.chat.starter(document.title));
  if (empty) {
    return (
      <div className="chat-page starters">
        <Empty title={text.chat.emptyNothing}>
          <p className="mute">{text.chat.emptyNothingHint}</p>
          <Button tone="ink" onClick={() => send("add")}>
            {text.chat.add}
          </Button>
        </Empty>
      </div>
    );
  }
  return (
    <div className="chat-page starters">
      <Empty title={text.chat.emptyTitle}>
        {beginnings.length > 0 ? (
          <>
            <p className="label">{text.chat.begin}</p>
            <ul className="starter-list">
              {beginnings.map((question) => (
                <li key={question}>
                  <button type="button" className="starter own" onClick={() => onAsk(question)}>
                    <span>{question}</span>
                    <Icon of={ArrowRight} />
                  </button>
                </li>
              ))}
            </ul>
          </>
        ) : null}
      </Empty>
    </div>
  );
}
