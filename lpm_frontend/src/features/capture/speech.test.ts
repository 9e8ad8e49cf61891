import { expect, it } from "vitest";
import { listen, localRecogniser, type Recogniser } from "./speech";

/** What a browser offers, spoken into by a test. */
class Recognition implements Recogniser {
  static last: Recognition | null = null;
  static available = ({ langs }: { langs: string[] }): Promise<string> =>
    Promise.resolve(langs[0] === "ja-JP" ? "available" : "downloadable");
  lang = "";
  continuous = false;
  interimResults = true;
  processLocally = false;
  onresult: Recogniser["onresult"] = null;
  onend: Recogniser["onend"] = null;
  start = (): void => void (Recognition.last = this);
  stop = (): void => this.onend?.();
}
class Elsewhere extends Recognition {
  static override available = undefined as never;
}
const heard = (words: string, isFinal: boolean) =>
  Object.assign([{ transcript: words }], { isFinal });

it("offers dictation only where this device understands the language by itself", async () => {
  expect(await localRecogniser(Recognition, "ja-JP")).toBe(Recognition);
  expect(await localRecogniser(Recognition, "en-US")).toBeNull();
  expect(await localRecogniser(Elsewhere, "ja-JP")).toBeNull();
  expect(await localRecogniser(undefined, "ja-JP")).toBeNull();
});

it("gives the words once they are understood for good, and nothing leaves the device", () => {
  const said: string[] = [];
  let ended = false;
  const stop = listen(
    Recognition,
    "ja-JP",
    (words) => said.push(words),
    () => (ended = true),
  );
  const recogniser = Recognition.last;
  expect(recogniser).toMatchObject({ lang: "ja-JP", processLocally: true, continuous: true });
  recogniser?.onresult?.({ resultIndex: 0, results: [heard("雨", false)] });
  recogniser?.onresult?.({ resultIndex: 0, results: [heard(" 雨だった ", true)] });
  recogniser?.onresult?.({
    resultIndex: 1,
    results: [heard("雨だった", true), heard("眠い", true)],
  });
  stop();
  expect([said, ended]).toEqual([["雨だった", "眠い"], true]);
});
