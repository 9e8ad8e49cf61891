"use client";
import { useRouter } from "next/navigation";
import { NodeProblem } from "@/lib/api/client";
import type { useConversation } from "@/lib/api/conversations";
import { useText } from "@/lib/i18n";
import { Button } from "@/ui/button";
import { Empty, Loading } from "@/ui/faces";
import { Trouble } from "@/ui/trouble";
import { SmallModel } from "./spoken-by";
import { Starters } from "./starters";

interface BlankProps {
  id: string;
  role: string;
  query: ReturnType<typeof useConversation>;
  /** No question stands here yet. */
  bare: boolean;
  /** The library holds nothing. */
  empty: boolean;
  onAsk: (question: string) => void;
}

/** What stands where no question does: something to begin with, or why there is nothing. */
export function Blank({ id, role, query, bare, empty, onAsk }: BlankProps) {
  const text = useText();
  const router = useRouter();
  const missing = query.error instanceof NodeProblem && query.error.status === 404;
  if (id === "") {
    if (!bare) return null;
    return role === "" ? <Starters onAsk={onAsk} empty={empty} /> : <SmallModel />;
  }
  if (missing)
    return (
      <div className="chat-page">
        <Empty title={text.chat.notFoundTitle}>
          <p className="mute">{text.chat.notFoundDetail}</p>
          <Button onClick={() => router.push("/")}>{text.chat.newOne}</Button>
        </Empty>
      </div>
    );
  if (!bare) return null;
  if (query.isError)
    return (
      <div className="chat-page">
        <Trouble error={query.error} onRetry={() => void query.refetch()} />
      </div>
    );
  if (query.isPending)
    return (
      <div className="chat-page">
        <Loading words={text.app.loading} lines={4} />
      </div>
    );
  return null;
}
