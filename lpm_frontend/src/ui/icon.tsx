import type { LucideIcon } from "lucide-react";

/** A line drawing that never stands without a word or an accessible name beside it. */
export function Icon({ of: Drawing, className }: { of: LucideIcon; className?: string }) {
  return (
    <Drawing
      className={className ? `i ${className}` : "i"}
      strokeWidth={1.6}
      aria-hidden="true"
      focusable="false"
    />
  );
}
