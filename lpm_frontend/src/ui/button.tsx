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
export function Button({
  tone = "plain",
  size = "usual",
  icon,
  children,
  className,
  type = "button",
  ...rest
}: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      className={["btn", tone, size, className].filter(Boolean).join(" ")}
    >
      {icon ? <Icon of={icon} /> : null}
      {children}
    </button>
  );
}

interface IconButtonProps extends ComponentProps<"button"> {
  icon: LucideIcon;
  /**
   * The accessible name; shown beside the icon when `worded`, with `wide` where there is room for
   * it.
   */
  label: string;
  worded?: boolean | "wide";
  children?: ReactNode;
}

/** A small tool: an icon, always with a name. */
export function IconButton({
  icon,
  label,
  worded = false,
  className,
  children,
  type = "button",
  ...rest
}: IconButtonProps) {
  return (
    <button
      {...(worded === true ? {} : { title: label })}
      {...rest}
      type={type}
      className={["ib", className].filter(Boolean).join(" ")}
      {...(worded ? {} : { "aria-label": label })}
    >
      <Icon of={icon} />
      {worded ? (
        <span className={worded === "wide" ? "where-wide" : undefined}>{label}</span>
      ) : null}
      {children}
    </button>
  );
}
