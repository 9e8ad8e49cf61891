"use client";
import dynamic from "next/dynamic";
import { useCallback, useState } from "react";
import { useCommand } from "@/lib/commands";
import { useText } from "@/lib/i18n";
import { Dialog } from "@/ui/dialog";

/** Fetched when it is asked for: few look at it, and every screen could. */
const KeyRows = dynamic(() => import("./key-list").then((module) => module.KeyRows), {
  ssr: false,
});

export function KeyTable() {
  const text = useText();
  const [open, setOpen] = useState(false);
  useCommand(
    "keys",
    useCallback(() => setOpen(true), []),
  );
  return (
    <Dialog
      open={open}
      onClose={() => setOpen(false)}
      title={text.keys.title}
      closeLabel={text.frame.close}
    >
      <KeyRows />
    </Dialog>
  );
}
