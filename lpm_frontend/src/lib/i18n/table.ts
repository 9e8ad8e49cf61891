/** The sentences of Table, in the language in use: a dictionary of its own, like `roles.ts`. */
import { useLanguage } from ".";
import { tableEn } from "./en-table";
import { tableJa } from "./ja-table";

export type TableText = typeof tableEn;

export const useTableText = (): TableText => (useLanguage() === "ja" ? tableJa : tableEn);
