"use client";
import { Mic, Square } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useLanguage } from "@/lib/i18n";
import { useCaptureText } from "@/lib/i18n/capture";
import { IconButton } from "@/ui/button";
import { listen, localRecogniser, type RecogniserClass } from "./speech";

/** Speak instead of typing, where this browser understands speech without sending it anywhere. */
export function DictateButton({ onWords }: { onWords: (words: string) => void }) {
  const t = useCaptureText();
  const spoken = useLanguage() === "ja" ? "ja-JP" : "en-US";
  const [known, setKnown] = useState<RecogniserClass | null>(null);
  const [listening, setListening] = useState(false);
  const stop = useRef<(() => void) | null>(null);
  const told = useRef(onWords);
  useEffect(() => {
    told.current = onWords;
  }, [onWords]);
  useEffect(() => {
    let here = true;
    const offered = (window as { SpeechRecognition?: RecogniserClass }).SpeechRecognition;
    void localRecogniser(offered, spoken).then((found) => here && setKnown(() => found));
    return () => {
      here = false;
      stop.current?.();
    };
  }, [spoken]);
  if (known === null) return null;
  return (
    <IconButton
      icon={listening ? Square : Mic}
      label={listening ? t.capture.dictateStop : t.capture.dictate}
      aria-pressed={listening}
      onClick={() => {
        if (listening) {
          stop.current?.();
          return;
        }
        stop.current = listen(
          known,
          spoken,
          (words) => told.current(`${words} `),
          () => setListening(false),
        );
        setListening(true);
      }}
    />
  );
}
