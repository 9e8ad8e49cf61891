import type { ProfileLine } from "@/lib/api/types";
import type { ProfileText } from "@/lib/i18n/profile";

/** What a line is called. */
export const calledOf = (line: ProfileLine, t: ProfileText): string =>
  line.name !== "" ? line.name : line.role === "" ? t.self : t.gone;
