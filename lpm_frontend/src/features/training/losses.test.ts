import { expect, it } from "vitest";
import { drawn, tabled } from "./losses";

const step = (n: number, loss: number | null, held_out: number | null = null) => ({
  step: n,
  loss,
  held_out,
});

it("draws what was read and what was kept back on one scale", () => {
  const picture = drawn([step(0, null, 3), step(5, 1.5), step(10, 0.6, 0.9)], 10);
  expect(picture.top).toBe(3);
  expect(picture.lines).toEqual([1, 2, 3]);
  expect(picture.reads).toBe("M50.00 50.00 L100.00 80.00");
  expect(picture.kept).toBe("M0.00 0.00 L100.00 70.00");
  expect(picture.dots).toHaveLength(2);
});

it("draws nothing where nothing was measured", () => {
  expect(drawn([], 0)).toMatchObject({ reads: "", kept: "", dots: [] });
});

it("names some steps of a long training, the last one and all that were checked", () => {
  const many = Array.from({ length: 1000 }, (_, n) =>
    step(n + 1, 1, (n + 1) % 250 === 0 ? 2 : null),
  );
  const rows = tabled(many);
  expect(rows.length).toBeLessThan(50);
  expect(rows.at(-1)?.step).toBe(1000);
  expect(rows.filter(({ held_out }) => held_out !== null)).toHaveLength(4);
});
