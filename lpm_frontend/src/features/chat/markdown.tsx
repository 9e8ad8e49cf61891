"use client";
/**
 * Draws Markdown: no HTML of its own, nothing from elsewhere, and a number after each sentence that
 * rests on something.
 */
import { useMemo } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import { useText } from "@/lib/i18n";
import { CopyButton } from "@/ui/faces";
import { CLOSES, OPENS, sourceOf, type WrittenProps } from "./say";

interface Node {
  type: string;
  tagName?: string;
  value?: string;
  properties?: Record<string, unknown>;
  children?: Node[];
}

const MARK = new RegExp(`${OPENS}(\\d+)${CLOSES}`, "u");

/** Turns the marks in texts into elements of their own. */
function cites() {
  const walk = (node: Node): void => {
    if (!node.children) return;
    node.children = node.children.flatMap((child): Node[] => {
      if (child.type !== "text" || !child.value?.includes(OPENS)) {
        walk(child);
        return [child];
      }
      return child.value.split(MARK).flatMap((piece, index): Node[] => {
        if (index % 2 === 0) return piece === "" ? [] : [{ type: "text", value: piece }];
        return [{ type: "element", tagName: "sup", properties: { "data-n": piece }, children: [] }];
      });
    });
  };
  return walk;
}

const isHttps = (href: unknown): href is string =>
  typeof href === "string" && /^https:\/\//iu.test(href);
const textOf = (node: Node | undefined): string =>
  (node?.value ?? "") + (node?.children ?? []).map(textOf).join("");

export default function Markdown({ parts, answer, lit, onLight, onOpen }: WrittenProps) {
  const text = useText();
  const components = useMemo<Components>(
    () => ({
      sup: ({ node }) => {
        const n = Number(node?.properties["data-n"]);
        const title = answer.citations.find((citation) => citation.n === n)?.title ?? "";
        return (
          <button
            type="button"
            className={lit === n ? "c cite at" : "c cite"}
            aria-label={text.chat.cite(n, title)}
            onMouseEnter={() => onLight(n)}
            onMouseLeave={() => onLight(null)}
            onFocus={() => onLight(n)}
            onBlur={() => onLight(null)}
            onClick={() => onOpen(n)}
          >
            {n}
          </button>
        );
      },
      a: ({ href, children }) =>
        isHttps(href) ? (
          <a className="link" href={href} target="_blank" rel="noopener noreferrer">
            {children}
          </a>
        ) : (
          <span>{children}</span>
        ),
      // A picture from elsewhere would tell elsewhere that it is looked at.
      img: ({ alt }) => <span>{alt}</span>,
      input: ({ checked }) => <span aria-hidden="true">{checked ? "☑ " : "☐ "}</span>,
      h1: ({ children }) => <h3>{children}</h3>,
      h2: ({ children }) => <h3>{children}</h3>,
      h3: ({ children }) => <h4>{children}</h4>,
      h4: ({ children }) => <h4>{children}</h4>,
      h5: ({ children }) => <h4>{children}</h4>,
      h6: ({ children }) => <h4>{children}</h4>,
      table: ({ children }) => (
        <div className="md-table">
          <table>{children}</table>
        </div>
      ),
      pre: ({ node, children }) => (
        <div className="md-code">
          {/* Long lines are scrolled with the arrow keys. */}
          {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
          <pre tabIndex={0}>{children}</pre>
          <CopyButton
            value={textOf(node).replace(/\n$/u, "")}
            label={text.talk.codeCopy}
            done={text.chat.copied}
          />
        </div>
      ),
    }),
    [answer.citations, lit, onLight, onOpen, text],
  );
  return (
    <div className="ans md">
      <ReactMarkdown remarkPlugins={[remarkGfm]} rehypePlugins={[cites]} components={components}>
        {sourceOf(parts)}
      </ReactMarkdown>
    </div>
  );
}
