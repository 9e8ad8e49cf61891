/**
 * The sentences of Roles, in the language in use: a dictionary of its own, so that no other screen
 * fetches it.
 */
import { useLanguage } from ".";
import { rolesEn } from "./en-roles";
import { rolesJa } from "./ja-roles";

export type RolesText = typeof rolesEn;

export const useRolesText = (): RolesText => (useLanguage() === "ja" ? rolesJa : rolesEn);
