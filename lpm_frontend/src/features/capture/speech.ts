/**
 * Dictation that stays on this device. A browser that would send the voice elsewhere offers none
 * here, and neither does one that has none.
 */

interface Heard {
  readonly results: ArrayLike<
    ArrayLike<{ readonly transcript: string }> & { readonly isFinal: boolean }
  >;
  readonly resultIndex: number;
}

export interface Recogniser {
  lang: string;
  continuous: boolean;
  interimResults: boolean;
  processLocally: boolean;
  onresult: ((heard: Heard) => void) | null;
  onend: (() => void) | null;
  start: () => void;
  stop: () => void;
}

export interface RecogniserClass {
  new (): Recogniser;
  /** Newer browsers say whether they can do it without sending anything. */
  readonly available?: (wish: { langs: string[]; processLocally: true }) => Promise<string>;
}

/** What of the browser's recognises speech on this device in a language; `null` for nothing. */
export async function localRecogniser(
  known: RecogniserClass | undefined,
  language: string,
): Promise<RecogniserClass | null> {
  if (!known?.available) return null;
  try {
    const state = await known.available({ langs: [language], processLocally: true });
    return state === "available" ? known : null;
  } catch {
    return null;
  }
}

/** Begin to listen; what was understood for good is told piece by piece. Returns how to stop. */
export function listen(
  known: RecogniserClass,
  language: string,
  onWords: (words: string) => void,
  onEnd: () => void,
): () => void {
  const recogniser = new known();
  recogniser.lang = language;
  recogniser.continuous = true;
  recogniser.interimResults = false;
  recogniser.processLocally = true;
  recogniser.onresult = ({ results, resultIndex }) => {
    for (const result of Array.from(results).slice(resultIndex))
      if (result.isFinal) onWords((result[0]?.transcript ?? "").trim());
  };
  recogniser.onend = onEnd;
  recogniser.start();
  return () => recogniser.stop();
}
