/** Single keys rest where somebody writes, and nowhere else. */
import { act } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { useCommand } from "@/lib/commands";
import { useHouseKeys } from "./keys";

declare global {
  var IS_REACT_ACT_ENVIRONMENT: boolean;
}
globalThis.IS_REACT_ACT_ENVIRONMENT = true;

let asked = 0;
let leave: () => void = () => undefined;
const stay = (): void => undefined;
const count = (): void => {
  asked += 1;
};

function House({ open }: { readonly open: boolean }) {
  useHouseKeys(true, stay);
  useCommand("keys", count);
  return (
    <>
      <input className="field" />
      <dialog open={open}>
        <input className="floating" />
      </dialog>
    </>
  );
}

function live(open: boolean): void {
  const place = document.body.appendChild(document.createElement("div"));
  const root = createRoot(place);
  act(() => root.render(<House open={open} />));
  leave = () => {
    act(() => root.unmount());
    place.remove();
  };
}

function press(where: string): void {
  document
    .querySelector(where)
    ?.dispatchEvent(new KeyboardEvent("keydown", { key: "?", bubbles: true }));
}

beforeEach(() => {
  asked = 0;
});
afterEach(() => leave());

describe("the keys of the house", () => {
  it("rest in a field", () => {
    live(false);
    press(".field");
    expect(asked).toBe(0);
    press("body");
    expect(asked).toBe(1);
  });

  it("rest while something floats", () => {
    live(true);
    press(".floating");
    press("body");
    expect(asked).toBe(0);
  });

  it("work as soon as a dialog has closed, though its field still has the focus", () => {
    live(false);
    press(".floating");
    expect(asked).toBe(1);
  });
});
