import {
  BookOpen,
  Drama,
  Feather,
  MessageCircle,
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
  { id: "search", href: "/search", icon: Search },
  { id: "roles", href: "/roles", icon: Drama },
];
export const SETTINGS: Place = { id: "settings", href: "/settings", icon: Settings2 };
