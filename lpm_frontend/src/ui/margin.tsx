"use client";
import type { ReactNode } from "react";
import { useText } from "@/lib/i18n";
import { useMedia, WIDE } from "@/lib/media";
import { Dialog } from "./dialog";

interface MarginProps {
  /** What the margin holds now, for those who do not see it. */
  label: string;
  open: boolean;
  onClose: () => void;
  children: ReactNode;
}

/** The ruled margin beside a page; a drawer where there is no room for one. */
export function Margin({ label, open, onClose, children }: MarginProps) {
  const wide = useMedia(WIDE);
  const text = useText();
  if (wide) {
    return (
      <aside className="margin flush" aria-label={label}>
        {children}
      </aside>
    );
  }
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={label}
      closeLabel={text.frame.close}
      shape="sheet"
      bare
    >
      {children}
    </Dialog>
  );
}
