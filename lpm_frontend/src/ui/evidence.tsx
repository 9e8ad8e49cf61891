"use client";
import {
  AudioLines,
  FileText,
  Globe,
  Image,
  Mail,
  MessagesSquare,
  NotebookPen,
  Package,
  Table,
  type LucideIcon,
} from "lucide-react";
import type { ReactNode } from "react";
import type { Author } from "@/lib/api/types";
import { useText, type Text } from "@/lib/i18n";
import { Icon } from "./icon";

const KIND_ICONS: Readonly<Record<string, LucideIcon>> = {
  markdown: NotebookPen,
  transcript: MessagesSquare,
  table: Table,
  mail: Mail,
  html: Globe,
  archive: Package,
  image: Image,
  audio: AudioLines,
};
/** The drawing of a document's kind. */
export const documentIcon = (kind: string | undefined): LucideIcon =>
  KIND_ICONS[kind ?? ""] ?? FileText;

/** What a place is counted in, beside lines. */
export interface Anchor {
  readonly kind: "page" | "paragraph" | "row" | "message" | "turn";
  readonly n: number;
}

/**
 * A place in a document, as one says it: page, row, message or turn where there are any, lines for
 * the rest.
 */
export function placeOf(
  place: { source: string; anchor?: Anchor | null },
  text: Pick<Text, "evidence" | "source">,
): string {
  if (place.anchor) return ` · ${text.evidence.places[place.anchor.kind](place.anchor.n)}`;
  const lines = /#L(\d+)(?:-L(\d+))?$/u.exec(place.source);
  return lines ? ` · ${text.source.lines(Number(lines[1]), Number(lines[2] ?? lines[1]))}` : "";
}

/** Where a line stands, in mono, because it is a place in a file. */
export function SourceLine({
  title,
  kind,
  place,
}: {
  title: string;
  kind?: string | undefined;
  place: string;
}) {
  return (
    <span className="src">
      <Icon of={documentIcon(kind)} />
      <span className="src-title">{title}</span>
      <span className="src-place">{place}</span>
    </span>
  );
}

/**
 * Words that somebody wrote: serif, with a rule at the left, vermilion beside the person's own and
 * grey beside anybody else's. `author`: `null` where nothing shows whose they are; left out, they
 * are the person's own.
 */
export const Quote = ({
  children,
  author,
  large = false,
}: {
  children: ReactNode;
  author?: Author | null | undefined;
  large?: boolean;
}) => <blockquote className={quoteClass(author, large)}>{children}</blockquote>;

export const quoteClass = (author: Author | null | undefined, large = false): string =>
  ["q", large && "large", author !== undefined && author?.own !== true && "theirs"]
    .filter(Boolean)
    .join(" ");

/** Who wrote or said it, where the document shows that it was somebody else. */
export function AuthorName({ author }: { author: Author | null | undefined }) {
  return author && !author.own && author.name ? (
    <span className="author">{author.name}</span>
  ) : null;
}

/** The number that ties a sentence to its note. */
export function CiteNumber({ n, lit = false }: { n: number; lit?: boolean }) {
  return (
    <span className={lit ? "c at" : "c"} aria-hidden="true">
      {n}
    </span>
  );
}

export interface SignalValues {
  readonly words: number;
  readonly meaning: number;
  readonly time: number;
  readonly entity: number;
  readonly neighbours: number;
}
const SIGNALS = ["words", "meaning", "time", "entity", "neighbours"] as const;

/**
 * The words of the question behind the dictionary forms that matched: "goodby" was typed as
 * "goodbye".
 */
export function asTyped(matched: readonly string[], question: string): readonly string[] {
  const typed = question.match(/[\p{L}\p{N}’']+/gu) ?? [];
  const words = matched.map(
    (form) =>
      typed.find(
        (word) =>
          word.toLocaleLowerCase().startsWith(form.toLocaleLowerCase()) &&
          word.length < form.length + 4,
      ) ?? form,
  );
  return [...new Set(words)];
}

/**
 * Why something was found: five short bars. Points that count against it stand left of nothing, so
 * they show as an empty bar with a minus.
 */
export function SignalBars({
  signals,
  matched,
}: {
  signals: SignalValues;
  matched: readonly string[];
}) {
  const text = useText();
  // Bars of one note are compared with each other, so the longest is full; a floor keeps weak notes
  // from looking strong.
  const most = Math.max(2, ...SIGNALS.map((name) => signals[name]));
  return (
    <div className="why">
      <dl className="bars">
        {SIGNALS.map((name) => {
          const value = signals[name];
          const words = `${value < 0 ? "−" : ""}${Math.abs(value).toFixed(1)}`;
          return (
            <div key={name}>
              <dt>{text.evidence.signals[name]}</dt>
              <dd>
                <span className="pointbar" aria-hidden="true">
                  <i style={{ width: `${Math.max(0, Math.min(1, value / most)) * 100}%` }} />
                </span>
                <span className="num">{words}</span>
              </dd>
            </div>
          );
        })}
      </dl>
      {matched.length > 0 ? (
        <p className="tiny faint">{text.evidence.matched(matched.join(", "))}</p>
      ) : null}
    </div>
  );
}
