import {
  BookOpen,
  Drama,
  Feather,
  MessageCircle,
  MessagesSquare,
  Search,
  Settings2,
  Sprout,
  Users,
  type LucideIcon,
} from "lucide-react";
import type { Text } from "@/lib/i18n";

export interface Place {
  readonly id: keyof Omit<Text["places"], "label">;
  readonly href: string;
  readonly icon: LucideIcon;
}

/** The places that exist, in the order of their keys. Settings stands at the foot. */
export const PLACES: readonly Place[] = [
  { id: "chat", href: "/", icon: MessageCircle },
  { id: "memory", href: "/memory", icon: Feather },
  { id: "library", href: "/library", icon: BookOpen },
  { id: "training", href: "/training", icon: Sprout },
  { id: "people", href: "/people", icon: Users },
  { id: "table", href: "/table", icon: MessagesSquare },
  { id: "roles", href: "/roles", icon: Drama },
  { id: "search", href: "/search", icon: Search },
];
export const SETTINGS: Place = { id: "settings", href: "/settings", icon: Settings2 };

/** What has a tab of its own on a phone, at either side of the one that writes; the rest is under
 * the last tab. */
export const TABS: readonly (readonly Place[])[] = [PLACES.slice(0, 2), PLACES.slice(2, 3)];
export const REST: readonly Place[] = [...PLACES.slice(3), SETTINGS];
