import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { TagChoice } from "./tag-choice";

it("offers tags to tick as every form does, the most used first", () => {
  const cache = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  cache.setQueryDefaults([], { initialData: { tags: { hut: 1, travel: 3 } } });
  const page = document.createElement("div");
  page.innerHTML = renderToStaticMarkup(
    <QueryClientProvider client={cache}>
      <TagChoice label="Tags" empty="None" chosen={["hut"]} onChange={() => undefined} wrong="" />
    </QueryClientProvider>,
  );
  const boxes = [...page.querySelectorAll<HTMLInputElement>(".check input")];
  expect(boxes.map((box) => box.checked)).toEqual([false, true]);
  expect([...page.querySelectorAll(".check")].map((each) => each.textContent)).toEqual([
    "travel (3)",
    "hut (1)",
  ]);
});
