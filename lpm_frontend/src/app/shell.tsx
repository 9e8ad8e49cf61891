"use client";
/**
 * What stands around every screen: the connection to the node, the language, the frame, and what
 * floats above all places.
 */
import { QueryClientProvider } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { usePathname, useRouter, useSearchParams } from "next/navigation";
import {
  Suspense,
  useCallback,
  useEffect,
  useState,
  useSyncExternalStore,
  type ReactNode,
} from "react";
import { AddDialog } from "@/features/add/add-dialog";
import { CaptureDoor } from "@/features/capture/door";
import { Shelf } from "@/features/chat/shelf";
import { Frame } from "@/features/frame/frame";
import { KeyTable } from "@/features/frame/key-table";
import { useHouseKeys } from "@/features/frame/keys";
import { Whole } from "@/features/frame/whole";
import { Tray } from "@/features/jobs/tray";
import { Palette } from "@/features/palette/palette";
import { makeCache } from "@/lib/api/cache";
import { NodeProblem } from "@/lib/api/client";
import { useSettings } from "@/lib/api/identity";
import { useStatus } from "@/lib/api/status";
import { SpeechProvider } from "@/lib/i18n";
import { applyPrefs, keepPrefs, knowsPrefs, readPrefs, resolveLanguage } from "@/lib/prefs";
import { settleOnLeaving } from "@/lib/undo";

const PeopleShelf = dynamic(
  () => import("@/features/people/shelf").then((module) => module.PeopleShelf),
  { ssr: false },
);

const TablesShelf = dynamic(
  () => import("@/features/table/shelf").then((module) => module.TablesShelf),
  { ssr: false },
);

/** Only a person whose home is locked loads it. */
const Locked = dynamic(() => import("@/features/lock/locked").then((module) => module.Locked), {
  ssr: false,
});
/** What everything answers while the home is locked (RFC 4918). */
const LOCKED = 423;

const nothing = (): (() => void) => () => undefined;
/**
 * False while the page is made at build time: what is on screen depends on the person, so the
 * export holds the bare page alone.
 */
const useHere = (): boolean =>
  useSyncExternalStore(
    nothing,
    () => true,
    () => false,
  );

export function Shell({ children }: { children: ReactNode }) {
  const here = useHere();
  const [client] = useState(makeCache);
  useEffect(() => {
    window.addEventListener("pagehide", settleOnLeaving);
    return () => window.removeEventListener("pagehide", settleOnLeaving);
  }, []);
  useEffect(loadJapanese, []);
  useEffect(standIn, []);
  if (!here) return null;
  return (
    <QueryClientProvider client={client}>
      <Suspense>
        <Speaking>{children}</Speaking>
      </Suspense>
    </QueryClientProvider>
  );
}

/**
 * The Japanese faces come after first paint; their slices fetch only the glyphs that a page needs.
 */
function loadJapanese(): void {
  if (document.getElementById("japanese")) return;
  const link = document.createElement("link");
  link.id = "japanese";
  link.rel = "stylesheet";
  link.href = "/fonts/japanese.css";
  document.head.append(link);
}

/**
 * Where the node does not answer at all, a page of ours says so instead of the browser's. It keeps
 * no answer of the node.
 */
function standIn(): void {
  if (!("serviceWorker" in navigator)) return;
  navigator.serviceWorker.register("/offline.js").catch(() => {
    // Without it the browser says in its own words that nothing answers.
  });
}

/**
 * Puts language and light of the settings on the page, and follows the system where they follow it.
 */
function Speaking({ children }: { children: ReactNode }) {
  const settings = useSettings();
  const kept = settings.data;
  const prefs = kept ?? readPrefs();
  const waits = useWaiting(settings.isPending && !knowsPrefs());
  useEffect(() => {
    if (!kept) return undefined;
    keepPrefs(kept);
    applyPrefs(kept);
    const dark = window.matchMedia("(prefers-color-scheme: dark)");
    const follow = (): void => applyPrefs(kept);
    dark.addEventListener("change", follow);
    return () => dark.removeEventListener("change", follow);
  }, [kept]);
  return (
    <SpeechProvider language={resolveLanguage(prefs.language)}>
      {waits ? (
        <div className="app" aria-busy="true" />
      ) : (
        <House singleKeys={prefs.single_keys}>{children}</House>
      )}
    </SpeechProvider>
  );
}

/** How long a browser that was never here waits for the node to say which language is spoken. */
const MOST_WAITED_MS = 1_000;

/** Say whether the page waits still, no longer than that. */
function useWaiting(unknown: boolean): boolean {
  const [over, setOver] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setOver(true), MOST_WAITED_MS);
    return () => clearTimeout(timer);
  }, []);
  return unknown && !over;
}

const PASSED_BY = "second-me-welcomed";
const wasWelcomed = (): boolean => sessionStorage.getItem(PASSED_BY) !== null;

function House({ singleKeys, children }: { singleKeys: boolean; children: ReactNode }) {
  const router = useRouter();
  const path = usePathname();
  const search = useSearchParams();
  const status = useStatus();
  const go = useCallback((href: string) => router.push(href), [router]);
  useHouseKeys(singleKeys, go);
  const problem = status.error instanceof NodeProblem ? status.error : null;
  const unnamed = status.data?.named === false;
  const welcoming = path === "/welcome";
  useEffect(() => {
    if (unnamed && !welcoming && !wasWelcomed()) router.replace("/welcome");
  }, [router, unnamed, welcoming]);
  if (problem?.status === LOCKED) return <Locked />;
  if (problem?.kind === "signed-out" || (problem && !status.data))
    return <Whole error={problem} onRetry={() => void status.refetch()} />;
  if (welcoming) return children;
  if (!status.data || (unnamed && !wasWelcomed())) return <div className="app" aria-busy="true" />;
  return (
    <>
      <Frame
        here={path}
        shelf={
          path === "/" ? (
            <Shelf current={search.get("id") ?? ""} />
          ) : path === "/people" ? (
            <PeopleShelf current={search.get("id") ?? ""} />
          ) : path === "/table" ? (
            <TablesShelf current={search.get("id") ?? ""} />
          ) : null
        }
        tray={<Tray />}
        silent={problem?.kind === "silent"}
      >
        {children}
      </Frame>
      <AddDialog />
      <CaptureDoor />
      <Palette />
      <KeyTable />
    </>
  );
}

/** Called when first use is over, with or without a name: it does not come back in this window. */
export const passBy = (): void => sessionStorage.setItem(PASSED_BY, "1");
