"use client";
import { Plus } from "lucide-react";
import Link from "next/link";
import { useCallback, useRef } from "react";
import { useConversations } from "@/lib/api/conversations";
import { useCommand } from "@/lib/commands";
import { useText } from "@/lib/i18n";
import { Icon } from "@/ui/icon";
import { Trouble } from "@/ui/trouble";
import { useHidden } from "./hidden";

/** Every conversation, the latest first. */
export function Shelf({ current, onGo }: { current: string; onGo?: () => void }) {
  const text = useText();
  const query = useConversations();
  const hidden = useHidden();
  const list = useRef<HTMLUListElement>(null);
  useCommand(
    "step",
    useCallback(({ by }: { by: 1 | -1 }) => {
      const links = [...(list.current?.querySelectorAll("a") ?? [])];
      const at = links.findIndex((link) => link === document.activeElement || link.getAttribute("aria-current") === "true");
      const focused = links.findIndex((link) => link === document.activeElement);
      links[Math.min(links.length - 1, Math.max(0, focused === -1 ? Math.max(0, at) : focused + by))]?.focus();
    }, []),
  );
  const leaving = onGo ? { onClick: onGo } : {};
  const conversations = (query.data?.items ?? []).filter((conversation) => !hidden.has(conversation.id));
  return (
    <>
      <div className="shelf-head">
        <h2 className="label">{text.chat.shelf}</h2>
        <Link className="ib" href="/" aria-label={text.chat.newOne} title={text.chat.newOne} {...leaving}>
          <Icon of={Plus} />
        </Link>
      </div>
      {query.isError && !query.data ? <Trouble error={query.error} /> : null}
      {query.isSuccess && conversations.length === 0 ? <p className="shelf-none tiny faint">{text.chat.none}</p> : null}
      <ul className="shelf-list" ref={list}>
        {conversations.map((conversation) => (
          <li key={conversation.id}>
            <Link className="clip" href={`/?id=${encodeURIComponent(conversation.id)}`} aria-current={conversation.id === current ? "true" : undefined} {...leaving}>
              {conversation.title || text.chat.untitled}
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}
