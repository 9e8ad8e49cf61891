"use client";
import { useQueryClient } from "@tanstack/react-query";
import { Archive, EyeOff, Plus, Search, Trash2, Undo2 } from "lucide-react";
import Link from "next/link";
import { useCallback, useDeferredValue, useRef, useState } from "react";
import {
  restoreConversation,
  useConversations,
  useDeletedConversations,
  useFoundConversations,
} from "@/lib/api/conversations";
import type { Conversation } from "@/lib/api/types";
import { useCommand } from "@/lib/commands";
import { formatDate, useLanguage, useText } from "@/lib/i18n";
import { marked } from "@/lib/marked";
import { plain } from "@/lib/plain";
import { IconButton } from "@/ui/button";
import { Icon } from "@/ui/icon";
import { RoleSeal } from "@/ui/seal";
import { Trouble } from "@/ui/trouble";
import { PRIVATE } from "./keeping";

/** Days that the node keeps what was deleted. */
const KEPT_DAYS = 30;
/** From so many conversations on, one looks for them rather than at them. */
const MANY = 6;

/**
 * Every conversation, the latest first; those in which something was said; those that were deleted
 * and can come back.
 */
export function Shelf({ current, onGo }: { current: string; onGo?: () => void }) {
  const text = useText();
  const query = useConversations();
  const [typed, setTyped] = useState("");
  const [deleted, setDeleted] = useState(false);
  const words = useDeferredValue(typed.trim());
  const found = useFoundConversations(words);
  const list = useRef<HTMLUListElement>(null);
  useCommand(
    "step",
    useCallback(
      ({ by }: { by: 1 | -1 }) => {
        const links = [...(list.current?.querySelectorAll<HTMLElement>("a, button") ?? [])];
        const focused = links.findIndex((link) => link === document.activeElement);
        // In a conversation one steps from exchange to exchange; here only once one is here.
        if (current !== "" && focused === -1) return;
        links[Math.min(links.length - 1, Math.max(0, focused + by))]?.focus();
      },
      [current],
    ),
  );
  const leaving = onGo ? { onClick: onGo } : {};
  const all = query.data?.items ?? [];
  const shown = words === "" ? all : (found.data?.items ?? []);
  const searched = words !== "" && found.isSuccess && !found.isPlaceholderData;
  return (
    <>
      <div className="shelf-head">
        <h2 className="label">{deleted ? text.talk.deleted : text.chat.shelf}</h2>
        <span className="row">
          <Link
            className="ib"
            href={PRIVATE}
            aria-label={text.keeping.newPrivate}
            title={text.keeping.newPrivate}
            {...leaving}
          >
            <Icon of={EyeOff} />
          </Link>
          <Link
            className="ib"
            href="/"
            aria-label={text.chat.newOne}
            title={text.chat.newOne}
            {...leaving}
          >
            <Icon of={Plus} />
          </Link>
        </span>
      </div>
      {deleted ? (
        <Deleted />
      ) : (
        <>
          {all.length >= MANY || typed !== "" ? (
            <label className="shelf-find">
              <Icon of={Search} />
              <span className="sr">{text.talk.find}</span>
              <input
                type="search"
                placeholder={text.talk.find}
                value={typed}
                maxLength={200}
                onChange={(event) => setTyped(event.target.value)}
              />
            </label>
          ) : null}
          {query.isError && !query.data ? <Trouble error={query.error} /> : null}
          {words !== "" && found.isError ? <Trouble error={found.error} /> : null}
          {query.isSuccess && all.length === 0 && words === "" ? (
            <p className="shelf-none tiny faint">{text.chat.none}</p>
          ) : null}
          {searched && shown.length === 0 ? (
            <p className="shelf-none tiny faint">{text.talk.nothingFound(words)}</p>
          ) : null}
          <p className="sr" role="status">
            {searched && shown.length > 0 ? text.talk.found(shown.length) : ""}
          </p>
          <ul className="shelf-list" ref={list}>
            {shown.map((conversation) => (
              <li key={conversation.id}>
                <Link
                  href={`/?id=${encodeURIComponent(conversation.id)}`}
                  aria-current={conversation.id === current ? "true" : undefined}
                  {...leaving}
                >
                  <span className="clip shelf-title">
                    {(conversation.cast ?? []).length > 0 ? (
                      <With roles={conversation.cast ?? []} />
                    ) : conversation.role ? (
                      <With roles={[conversation.role]} />
                    ) : null}
                    <Mark keeping={conversation.keeping ?? "full"} />
                    {conversation.title || text.chat.untitled}
                  </span>
                  {words !== "" && conversation.snippet?.turn ? (
                    <Found snippet={conversation.snippet} />
                  ) : null}
                </Link>
              </li>
            ))}
          </ul>
        </>
      )}
      <p className="shelf-bin">
        <IconButton
          worded
          icon={deleted ? Undo2 : Trash2}
          label={deleted ? text.talk.back : text.talk.deleted}
          aria-pressed={deleted}
          onClick={() => setDeleted(!deleted)}
        />
      </p>
    </>
  );
}

/** That not everything is kept of what is said there. */
function Mark({ keeping }: { keeping: NonNullable<Conversation["keeping"]> }) {
  const text = useText();
  if (keeping === "full") return null;
  return (
    <span className="shelf-mark" title={text.keeping.marks[keeping]}>
      <Icon of={keeping === "none" ? EyeOff : Archive} />
      <span className="sr">{text.keeping.marks[keeping]}</span>
    </span>
  );
}

/** The marks of the roles that one talks to there, before the title. */
function With({ roles }: { roles: readonly NonNullable<Conversation["role"]>[] }) {
  const text = useText();
  const [first] = roles;
  const one = first?.name ? text.chat.withRole(first.name) : text.chat.roleGone;
  return (
    <>
      {roles.map((role) => (
        <RoleSeal key={role.id} glyph={role.seal} size="xs" />
      ))}
      <span className="sr">
        {roles.length > 1
          ? text.chat.withRoles(roles.map((role) => role.name || text.chat.roleSomebody).join(", "))
          : one}
      </span>{" "}
    </>
  );
}

/** What was said there, with the words one looks for marked. */
function Found({ snippet }: { snippet: NonNullable<Conversation["snippet"]> }) {
  const spans = snippet.spans.map(([start = 0, end = 0]) => ({ start, end }));
  return (
    <span className="shelf-found">
      {marked(snippet.text, spans, plain).map(({ words, on }, index) =>
        on ? <mark key={index}>{words}</mark> : words,
      )}
    </span>
  );
}

/** What was deleted and still lies at the node. */
function Deleted() {
  const text = useText();
  const language = useLanguage();
  const cache = useQueryClient();
  const query = useDeletedConversations(true);
  const [trouble, setTrouble] = useState<unknown>(null);
  const restore = async (id: string): Promise<void> => {
    setTrouble(null);
    await restoreConversation(id).catch(setTrouble);
    await cache.invalidateQueries({ queryKey: ["conversations"] });
  };
  const until = (iso: string): string =>
    formatDate(new Date(new Date(iso).getTime() + KEPT_DAYS * 86_400_000).toISOString(), language);
  return (
    <>
      {query.isError ? <Trouble error={query.error} /> : null}
      {trouble === null ? null : <Trouble error={trouble} />}
      {query.isSuccess && query.data.items.length === 0 ? (
        <p className="shelf-none tiny faint">{text.talk.deletedNone}</p>
      ) : null}
      <ul className="shelf-list">
        {query.data?.items.map((conversation) => (
          <li key={conversation.id} className="shelf-gone">
            <span className="clip shelf-title">{conversation.title || text.chat.untitled}</span>
            <span className="row">
              <span className="tiny faint">
                {conversation.deleted_at
                  ? text.talk.deletedUntil(until(conversation.deleted_at))
                  : ""}
              </span>
              <button
                type="button"
                className="link tiny"
                aria-label={text.talk.restoreOf(conversation.title || text.chat.untitled)}
                onClick={() => void restore(conversation.id)}
              >
                {text.talk.restore}
              </button>
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
