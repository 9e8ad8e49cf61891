"use client";
/**
 * Sentences of the node that are Markdown. What draws them is fetched when an answer needs it;
 * until then they stand as they are.
 */
import { lazy, Suspense } from "react";
import type { WrittenProps } from "./say";

const Markdown = lazy(() => import("./markdown"));

export function Written(props: WrittenProps) {
  return (
    <Suspense
      fallback={<p className="ans">{props.parts.map((part) => part.text.trim()).join("\n")}</p>}
    >
      <Markdown {...props} />
    </Suspense>
  );
}
