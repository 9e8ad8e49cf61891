"use client";
/** Opens the sheet for an entry of today from anywhere; what stands in it is fetched then. */
import dynamic from "next/dynamic";
import { useCallback, useState } from "react";
import { useCommand } from "@/lib/commands";
import { useText } from "@/lib/i18n";
import { Dialog } from "@/ui/dialog";

const EntryForm = dynamic(() => import("./form").then((module) => module.EntryForm), {
  ssr: false,
});

export function CaptureDoor() {
  const text = useText();
  const [open, setOpen] = useState(false);
  const close = useCallback(() => setOpen(false), []);
  useCommand(
    "capture",
    useCallback(() => setOpen(true), []),
  );
  return (
    <Dialog open={open} onClose={close} title={text.frame.capture} closeLabel={text.frame.close}>
      <EntryForm onDone={close} />
    </Dialog>
  );
}
