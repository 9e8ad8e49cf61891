import type { LucideIcon } from "lucide-react";
import type { ComponentProps, ReactNode } from "react";
import { Icon } from "./icon";

interface ButtonProps extends ComponentProps<"button"> {
  /** `ink` is the one primary action; `beni` cannot be undone. */
  tone?: "plain" | "ink" | "quiet" | "beni";
  size?: "usual" | "big" | "small";
  icon?: LucideIcon;
}

/** A verb that one can press. */
export function Button({ tone = "plain", size = "usual", icon, children, className, type = "button", ...rest }: ButtonProps) {
  return (
    <button {...rest} type={type} className={["btn", tone, size, className].filter(Boolean).join(" ")}>
      {icon ? <Icon of={icon} /> : null}
      {children}
    </button>
  );
}

interface IconButtonProps extends ComponentProps<"button"> {
  icon: LucideIcon;
  /** The accessible name; shown beside the icon when `worded`. */
  label: string;
  worded?: boolean;
  children?: ReactNode;
}

/** A small tool: an icon, always with a name. */
export function IconButton({ icon, label, worded = false, className, children, type = "button", ...rest }: IconButtonProps) {
  return (
    <button {...rest} type={type} className={["ib", className].filter(Boolean).join(" ")} {...(worded ? {} : { "aria-label": label, title: label })}>
      <Icon of={icon} />
      {worded ? <span>{label}</span> : null}
      {children}
    </button>
  );
}
