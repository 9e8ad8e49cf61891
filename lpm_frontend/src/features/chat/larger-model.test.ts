import { describe, expect, it } from "vitest";
import type { Model } from "@/lib/api/types";
import { largerModel } from "./larger-model";

const model = (id: string, more: Partial<Model>): Model => ({
  id,
  kind: "catalogue",
  name: id,
  active: false,
  detail: "",
  purpose: "chat",
  fits: true,
  languages: ["en", "ja"],
  ...more,
});
const bundled = model("bundled", { kind: "bundled", active: true });
const half = model("half", { bytes: 5e8 });
const whole = model("whole", { bytes: 1e9 });

describe("a larger model", () => {
  it("is the largest that fits and writes the language", () => {
    const english = model("english", { bytes: 2e9, languages: ["en"] });
    const huge = model("huge", { bytes: 9e9, fits: false });
    const vectors = model("vectors", { bytes: 3e9, purpose: "embedding" });
    const models = [bundled, half, whole, english, huge, vectors];
    expect(largerModel(models, "ja")?.id).toBe("whole");
    expect(largerModel(models, "en")?.id).toBe("english");
    expect(largerModel([bundled, huge, vectors], "en")).toBeNull();
  });

  it("is not named where the person has chosen or fetched another", () => {
    const endpoint = model("elsewhere", { kind: "endpoint", active: true });
    const fetched = model("here", { kind: "file" });
    expect(largerModel([{ ...bundled, active: false }, endpoint, whole], "en")).toBeNull();
    expect(largerModel([bundled, fetched, whole], "en")).toBeNull();
  });
});
