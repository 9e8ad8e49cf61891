"use client";
import dynamic from "next/dynamic";
import { useCallback, useEffect, useState } from "react";
import { useCommand } from "@/lib/commands";
import { useText } from "@/lib/i18n";
import { Dialog } from "@/ui/dialog";

const load = () => import("./finder").then((module) => module.Finder);
const Finder = dynamic(load, { ssr: false });

/**
 * Go, find a memory, ask, do: one line for all of it. Its entries come after the page, in both
 * languages, so that no page waits for them.
 */
export function Palette() {
  const text = useText();
  const [open, setOpen] = useState(false);
  useCommand(
    "palette",
    useCallback(() => setOpen(true), []),
  );
  useEffect(() => {
    const later = window.setTimeout(() => void load(), 500);
    return () => window.clearTimeout(later);
  }, []);
  return (
    <Dialog
      open={open}
      onClose={() => setOpen(false)}
      title={text.palette.label}
      closeLabel={text.frame.close}
      shape="wide"
      bare
    >
      <Finder onDone={() => setOpen(false)} />
    </Dialog>
  );
}
