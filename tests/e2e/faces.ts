/**
 * Every screen with its four faces, called up by real means: an empty home, an answer held back, a
 * node that does not answer.
 */
import type { Page } from "@playwright/test";

export type Face = "loading" | "empty" | "failed" | "ready";
export const FACES: readonly Face[] = ["loading", "empty", "failed", "ready"];

export interface Screen {
  readonly name: string;
  readonly path: string;
  /** What the screen asks the node for, beyond the frame around it. */
  readonly asks: RegExp;
  /** Faces that the screen does not have: a question that was not asked has nothing to load. */
  readonly without?: readonly Face[];
}

const SETTINGS =
  /\/api\/(identity|models|thinking|embedders|keys|backups|exports|audit|health|sizes)(\?|$)/;

export const SCREENS: readonly Screen[] = [
  {
    name: "chat",
    path: "/",
    asks: /\/api\/(documents|questions|starters)/,
    without: ["loading", "failed"],
  },
  {
    name: "conversation",
    path: "/?id=CONVERSATION",
    asks: /\/api\/conversations\/[^/?]+/,
    without: ["empty"],
  },
  { name: "search", path: "/search?q=workshop", asks: /\/api\/recall/ },
  { name: "memory", path: "/memory?view=today", asks: /\/api\/(memories|findings)(\?|$)/ },
  {
    name: "one memory",
    path: "/memory?id=MEMORY",
    asks: /\/api\/memories\/[^/?]+/,
    without: ["empty"],
  },
  { name: "timeline", path: "/memory?view=timeline", asks: /\/api\/timeline\?/ },
  { name: "map", path: "/memory?view=map", asks: /\/api\/graph(\?|$)/ },
  { name: "pages", path: "/memory?view=pages", asks: /\/api\/entities\?/ },
  { name: "opinions", path: "/memory?view=opinions", asks: /\/api\/opinions(\?|$)/ },
  {
    name: "biography",
    path: "/memory?view=biography",
    asks: /\/api\/biography(\/versions)?(\?|$)/,
  },
  { name: "suggestions", path: "/memory?view=review", asks: /\/api\/findings(\?|$)/ },
  { name: "files", path: "/memory?view=files", asks: /\/api\/workspace(\?|$)/ },
  { name: "library", path: "/library", asks: /\/api\/documents(\?|$)/ },
  {
    name: "document",
    path: "/library?id=DOCUMENT",
    asks: /\/api\/documents\/[^/?]+(\/text)?(\?|$)/,
    without: ["empty"],
  },
  { name: "tables", path: "/table", asks: /\/api\/discussions(\?|$)/ },
  { name: "training", path: "/training?view=now", asks: /\/api\/training(\/runs)?(\?|$)/ },
  { name: "settings", path: "/settings", asks: SETTINGS },
  { name: "exposure", path: "/exposure", asks: /\/api\/exposure(\?|$)/ },
  { name: "first use", path: "/welcome", asks: /\/api\/(findings|health|questions)(\?|$)/ },
  { name: "lost", path: "/no-such-page", asks: /never/, without: ["loading", "empty", "failed"] },
];

/**
 * Hold back what the screen asks for, or have it fail as a node does that is gone. The screen is
 * left first: what it still asks is let go, or the browser has the next screen wait for it.
 */
export async function putOn(page: Page, face: Face, screen: Screen): Promise<void> {
  await page.goto("about:blank");
  await page.unrouteAll({ behavior: "ignoreErrors" });
  if (face === "loading") await page.route(screen.asks, () => undefined);
  if (face === "failed") await page.route(screen.asks, (route) => route.abort("connectionrefused"));
}

/** What is still being loaded, in the screen's own words. */
export const loading = (page: Page): Promise<string[]> =>
  page.locator(".face.loading:visible").allInnerTexts();

/** Adds up how far what is on screen jumped while it came; asked for with `shifted`. */
export function watchShifts(page: Page): void {
  void page.addInitScript(() => {
    const sum = { value: 0 };
    Object.assign(window, { lpmShift: sum });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & {
        value: number;
        hadRecentInput: boolean;
      })[])
        if (!entry.hadRecentInput) sum.value += entry.value;
    }).observe({ type: "layout-shift", buffered: true });
  });
}
export const shifted = (page: Page): Promise<number> =>
  page.evaluate(() => (window as unknown as { lpmShift: { value: number } }).lpmShift.value);

/**
 * Words on screen that hold a Latin word and no Japanese sign, but for what a person wrote, places
 * in files, commands and keys.
 */
export const latinOnly = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const OWN =
      "code, kbd, blockquote, mark, pre, .mono, .own, .q, .src, .command, .address, .source-text, [lang=en], script, style, option, textarea, .word, .preview-said, .sr";
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found: string[] = [];
    while (walker.nextNode()) {
      const words = walker.currentNode.textContent?.trim() ?? "";
      const parent = walker.currentNode.parentElement;
      if (
        !parent ||
        !/[A-Za-z]{3}/.test(words) ||
        /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(words) ||
        parent.closest(OWN)
      )
        continue;
      if (parent.checkVisibility()) found.push(words);
    }
    for (const element of document.querySelectorAll("[aria-label], [placeholder], [title]")) {
      for (const name of ["aria-label", "placeholder", "title"]) {
        const words = element.getAttribute(name)?.trim() ?? "";
        if (
          /[A-Za-z]{3}/.test(words) &&
          !/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(words) &&
          !element.closest(OWN)
        )
          found.push(words);
      }
    }
    return [...new Set(found)];
  });
