"use client";
import { useText } from "@/lib/i18n";
import { useTitle } from "@/lib/title";
import { Trouble } from "@/ui/trouble";

/** The whole page says it: the node is silent, or does not know this browser. */
export function Whole({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const text = useText();
  useTitle("");
  return (
    <main className="whole" id="page">
      <div className="leafcard">
        <h1 className="word">{text.app.name}</h1>
        <Trouble error={error} onRetry={onRetry} />
      </div>
    </main>
  );
}
