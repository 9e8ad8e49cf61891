"use client";
import { X } from "lucide-react";
import Link from "next/link";
import { useModels } from "@/lib/api/models";
import type { Model } from "@/lib/api/types";
import { keepChoice, useChoice } from "@/lib/choice";
import { formatBytes, useLanguage, useText, type Language } from "@/lib/i18n";
import { IconButton } from "@/ui/button";

const CHOICE = "larger-model";

/**
 * The largest model of the catalogue that fits this machine and writes this language. None where
 * the one that came along does not answer, or where another one was fetched already.
 */
export function largerModel(models: readonly Model[], language: Language): Model | null {
  const small = models.some((model) => model.kind === "bundled" && model.active);
  const fetched = models.some((model) => model.kind === "file" && model.purpose === "chat");
  if (!small || fetched) return null;
  return models
    .filter(
      (model) =>
        model.kind === "catalogue" &&
        model.purpose === "chat" &&
        model.fits === true &&
        model.languages?.includes(language),
    )
    .reduce<Model | null>(
      (largest, model) => (largest && (largest.bytes ?? 0) >= (model.bytes ?? 0) ? largest : model),
      null,
    );
}

/** Beneath an answer that is none: a larger model may know better. Put aside, it stays away. */
export function LargerModel() {
  const text = useText();
  const language = useLanguage();
  const away = useChoice(CHOICE, "") !== "";
  const models = useModels().data?.items ?? [];
  const larger = away ? null : largerModel(models, language);
  if (larger === null) return null;
  return (
    <p className="larger-model tiny">
      <span>
        {text.talk.larger}{" "}
        <Link className="link" href="/settings#models">
          {text.talk.largerFits(larger.name, formatBytes(larger.bytes ?? 0, language))}
        </Link>
      </span>
      <IconButton icon={X} label={text.talk.largerNot} onClick={() => keepChoice(CHOICE, "no")} />
    </p>
  );
}
