"use client";
import { Trouble } from "@/ui/trouble";

/** A screen that stumbled: the frame stays, the place says so and can be tried again. */
export default function ScreenError({ error, reset }: { error: Error; reset: () => void }) {
  return (
    <div className="main">
      <Trouble error={error} onRetry={reset} />
    </div>
  );
}
