"use client";
import { useRouter, useSearchParams } from "next/navigation";
import { useEffect } from "react";
import { BridgeDoor } from "@/features/bridge/door";
import { Chat } from "@/features/chat/chat";
import { Reader } from "@/features/source/reader";
import { send } from "@/lib/commands";

/**
 * `/?id=` a conversation (with `&turn=` at what was said there), `/` a new one, `/?role=` a new one
 * with this role, `/?keeping=none` a private one, `/?ask=` a new one that begins with this
 * question.
 */
export default function ChatPage() {
  const router = useRouter();
  const search = useSearchParams();
  const question = search.get("ask");
  useEffect(() => {
    if (question === null) return;
    router.replace("/");
    send("ask", { question });
  }, [question, router]);
  return (
    <>
      <Chat
        id={search.get("id") ?? ""}
        role={search.get("role") ?? ""}
        keeping={search.get("keeping") === "none" ? "none" : null}
        turn={search.get("turn") ?? ""}
        reader={(place, onClose, onStep) => (
          <Reader place={place} onClose={onClose} onStep={onStep} />
        )}
      />
      <BridgeDoor />
    </>
  );
}
