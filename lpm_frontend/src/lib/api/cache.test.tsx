import { QueryClientProvider, useMutation } from "@tanstack/react-query";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, it, vi } from "vitest";
import { DEFAULT_PREFS } from "../prefs";
import { makeCache } from "./cache";
import { settingsQuery, useSettings } from "./identity";

declare global {
  var IS_REACT_ACT_ENVIRONMENT: boolean;
}

const cache = makeCache();

/** A box that is kept by a node that never answers. */
function SingleKeys() {
  const kept = useSettings().data ?? DEFAULT_PREFS;
  const save = useMutation({
    mutationFn: () => new Promise<void>(() => undefined),
    onMutate: async (on: boolean) => {
      await cache.cancelQueries({ queryKey: settingsQuery.queryKey });
      cache.setQueryData(settingsQuery.queryKey, { ...kept, single_keys: on });
    },
  });
  return (
    <input
      type="checkbox"
      checked={kept.single_keys}
      onChange={(event) => save.mutate(event.target.checked)}
    />
  );
}

it("shows what was chosen before any timer runs, so that the next press means what is seen", async () => {
  globalThis.IS_REACT_ACT_ENVIRONMENT = true;
  cache.setQueryData(settingsQuery.queryKey, DEFAULT_PREFS);
  const place = document.body.appendChild(document.createElement("div"));
  const root = createRoot(place);
  act(() =>
    root.render(
      <QueryClientProvider client={cache}>
        <SingleKeys />
      </QueryClientProvider>,
    ),
  );
  globalThis.IS_REACT_ACT_ENVIRONMENT = false;
  vi.useFakeTimers({ toFake: ["setTimeout", "setInterval"] });
  const box = place.querySelector("input");
  const seen: (boolean | undefined)[] = [];
  for (let press = 0; press < 3; press += 1) {
    box?.click();
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    seen.push(box?.checked);
  }
  expect(seen).toEqual([false, true, false]);
  vi.useRealTimers();
  root.unmount();
});
