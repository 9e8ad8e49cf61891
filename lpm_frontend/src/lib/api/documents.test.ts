import { QueryClient } from "@tanstack/react-query";
import { expect, test } from "vitest";
import { documentQuery, noteErased, refreshLibrary } from "./documents";

test("what was erased is not asked for again, and everything else of the library is", async () => {
  const cache = new QueryClient();
  for (const id of ["d_gone", "d_kept"]) cache.setQueryData(["documents", "one", id], { id });
  cache.setQueryData(["documents", "text", "d_gone", 0, 9], "");
  cache.setQueryData(["documents", "list", "", false], []);
  noteErased(cache, ["d_gone"]);
  await refreshLibrary(cache);
  const isAsked = (key: readonly unknown[]) => cache.getQueryState(key)?.isInvalidated;
  expect(isAsked(documentQuery("d_gone").queryKey)).toBe(false);
  expect(isAsked(["documents", "text", "d_gone", 0, 9])).toBe(false);
  expect(isAsked(documentQuery("d_kept").queryKey)).toBe(true);
  expect(isAsked(["documents", "list", "", false])).toBe(true);
});
