"use client";
import { ArrowRight } from "lucide-react";
import { useDocuments } from "@/lib/api/documents";
import { send } from "@/lib/commands";
import { useText } from "@/lib/i18n";
import { Button } from "@/ui/button";
import { Empty } from "@/ui/faces";
import { Icon } from "@/ui/icon";

/** The empty face of chat: what one can ask, with three beginnings made from the library. */
export function Starters({ onAsk, empty }: { onAsk: (question: string) => void; empty: boolean }) {
  const text = useText();
  const documents = useDocuments().data?.pages[0]?.items ?? [];
  const titles = documents.filter((document) => document.state === "ready" && !document.private).slice(0, 3);
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
        {titles.length > 0 ? (
          <>
            <p className="label">{text.chat.begin}</p>
            <ul className="starter-list">
              {titles.map((document) => (
                <li key={document.id}>
                  <button type="button" className="starter own" onClick={() => onAsk(text.chat.starter(document.title))}>
                    <span>{text.chat.starter(document.title)}</span>
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
