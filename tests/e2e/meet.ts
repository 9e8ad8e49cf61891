/** Two nodes whose people know each other. */
import type { APIRequestContext } from "@playwright/test";
import { expect } from "./fixtures";

/** What listens for contacts is a process of its own, which has libp2p to load. */
export const STARTS_MS = 60_000;

interface Listed<T> {
  readonly items: readonly T[];
}

/** What a list of the API holds. */
export const listed = async <T>(from: APIRequestContext, path: string): Promise<readonly T[]> =>
  ((await (await from.get(path)).json()) as Listed<T>).items;

/** Make Nagi and Ren contacts of each other, without a screen: `people.spec.ts` does it with one. */
export async function meet(host: APIRequestContext, guest: APIRequestContext): Promise<void> {
  expect((await guest.put("/api/identity", { data: { name: "Ren Aoki" } })).ok()).toBe(true);
  const made = await host.post("/api/invites", { data: { label: "Ren", expires_in: 3600 } });
  const { invite } = (await made.json()) as { invite: string };
  expect((await guest.post("/api/contacts", { data: { invite, name: "Nagi" } })).ok()).toBe(true);
  for (const each of [host, guest])
    await expect
      .poll(async () => (await listed(each, "/api/contacts")).length, { timeout: STARTS_MS })
      .toBe(1);
}
