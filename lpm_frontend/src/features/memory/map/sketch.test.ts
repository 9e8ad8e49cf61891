import { expect, it } from "vitest";
import { slid, still, wider, type View } from "./sketch";

const view = (scale: number, x: number, y: number): View => ({
  place: still((spot) => ({ x: scale * spot.x + x, y: y - scale * spot.y })),
  radius: (size) => size,
  width: 800,
  height: 600,
});

it("what was drawn for one view is slid to where another has it", () => {
  const [before, after] = [view(100, 40, 500), view(150, -20, 420)];
  const { scale, x, y } = slid(before, after);
  for (const spot of [
    { x: 0, y: 0 },
    { x: 2.5, y: -1 },
    { x: -7, y: 3 },
  ]) {
    const [then, now] = [before.place(spot), after.place(spot)];
    expect([scale * then.x + x, scale * then.y + y]).toEqual([
      expect.closeTo(now.x, 6),
      expect.closeTo(now.y, 6),
    ]);
  }
  expect(slid(before, before)).toEqual({ scale: 1, x: 0, y: 0 });
});

it("a view keeps its moment while the camera goes on", () => {
  const camera = { x: 10 };
  const place = still((spot) => ({ x: spot.x + camera.x, y: spot.y }));
  camera.x = 90;
  expect(place({ x: 1, y: 2 })).toEqual({ x: 11, y: 2 });
});

it("a wider view has the same things as far from its middle", () => {
  const wide = wider(view(100, 40, 500), 30);
  expect([wide.place({ x: 0, y: 0 }), wide.width, wide.height]).toEqual([
    { x: 70, y: 530 },
    860,
    660,
  ]);
});
