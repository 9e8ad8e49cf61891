"use client";
import type { ReactNode } from "react";
import { useText } from "@/lib/i18n";
import { sentencesOf } from "@/lib/problem";
import { Button } from "./button";
import { Command, Failed } from "./faces";

/** The failed face of anything that asks the node: its three sentences, and a way to try again. */
export function Trouble({
  error,
  onRetry,
  children,
}: {
  error: unknown;
  onRetry?: (() => void) | undefined;
  children?: ReactNode;
}) {
  const text = useText();
  const { title, detail, hint, command, report } = sentencesOf(error, text);
  return (
    <Failed
      title={title}
      detail={detail}
      report={report}
      hint={
        command === "" ? (
          hint
        ) : (
          <>
            {hint} <Command>{command}</Command>
          </>
        )
      }
    >
      {onRetry ? (
        <Button size="small" tone="quiet" onClick={onRetry}>
          {text.frame.tryAgain}
        </Button>
      ) : null}
      {children}
    </Failed>
  );
}
