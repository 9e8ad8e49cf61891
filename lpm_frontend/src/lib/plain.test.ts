import { expect, it } from "vitest";
import { plain } from "./plain";

it("takes the marks off and leaves the words", () => {
  expect(plain("# Sunday 11 June 2023\n\nSaw the house again.\n\n## Retain\n- O(c=0.75) @varnish: worth the drying\n- B Mai held the torch\n* plain")).toBe(
    "Sunday 11 June 2023\nSaw the house again.\n@varnish: worth the drying\nMai held the torch\nplain",
  );
  expect(plain("C# is a note – and so is D.")).toBe("C# is a note – and so is D.");
});
