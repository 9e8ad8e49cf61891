import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, it } from "vitest";
import { useDraft } from "./draft";

declare global {
  var IS_REACT_ACT_ENVIRONMENT: boolean;
}
globalThis.IS_REACT_ACT_ENVIRONMENT = true;

it("loses no letter that was typed while the address followed, and takes the words of any other address", () => {
  const root = createRoot(document.createElement("div"));
  let field: ReturnType<typeof useDraft> = ["", () => undefined, () => undefined];
  function Field({ address }: { address: string }) {
    field = useDraft(address);
    return null;
  }
  const show = (address: string): void => act(() => root.render(<Field address={address} />));
  const type = (words: string): void => act(() => field[1](words));
  const ask = (words: string): void => act(() => field[2](words));
  show("");
  type("la");
  ask("la");
  expect(field[0]).toBe("la");
  type("lane");
  show("la"); // comes after the hand typed on
  expect(field[0]).toBe("lane");
  ask("lane");
  show("lane");
  expect(field[0]).toBe("lane");
  show("rain"); // a link
  expect(field[0]).toBe("rain");
  show("lane"); // the way back
  expect(field[0]).toBe("lane");
});
