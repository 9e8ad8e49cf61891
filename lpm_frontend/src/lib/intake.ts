/**
 * What the person has dropped, on its way into the node: sent one after the other, each with what
 * became of it.
 */
import { useSyncExternalStore } from "react";
import { addFile, addText, type AddOptions } from "./api/documents";

export interface Arrival {
  readonly key: number;
  readonly name: string;
  /** `sending`, then `taken` (with the document) or `refused` (with the error). */
  readonly state: "waiting" | "sending" | "taken" | "refused";
  readonly document: string;
  /** The node had these bytes already. */
  readonly known: boolean;
  readonly error: unknown;
}

/**
 * What the node reads; of a folder, only this is sent. A single file is always sent, and the node
 * says what it thinks of it.
 */
const READS =
  /\.(txt|text|log|org|rst|md|markdown|pdf|docx|html?|xhtml|csv|tsv|json|jsonl|ndjson|eml|mbox|zip|png|jpe?g|webp|gif|tiff?|heic|heif|mp3|m4a|wav|ogg|opus|flac)$/i;
const AT_ONCE = 2;

let arrivals: readonly Arrival[] = [];
let skipped = 0;
let nextKey = 1;
let underWay = 0;
const waiting: { key: number; take: () => Promise<{ document: { id: string }; job: unknown }> }[] =
  [];
const listeners = new Set<() => void>();
const whenTaken = new Set<() => void>();

function become(next: readonly Arrival[]): void {
  arrivals = next;
  for (const listener of listeners) listener();
}
const change = (key: number, what: Partial<Arrival>): void =>
  become(arrivals.map((arrival) => (arrival.key === key ? { ...arrival, ...what } : arrival)));

async function work(): Promise<void> {
  if (underWay >= AT_ONCE) return;
  const next = waiting.shift();
  if (!next) return;
  underWay += 1;
  change(next.key, { state: "sending" });
  try {
    const accepted = await next.take();
    change(next.key, {
      state: "taken",
      document: accepted.document.id,
      known: accepted.job === null,
    });
  } catch (error) {
    change(next.key, { state: "refused", error });
  } finally {
    underWay -= 1;
  }
  for (const tell of whenTaken) tell();
  await work();
}

function queue(
  name: string,
  take: () => Promise<{ document: { id: string }; job: unknown }>,
): void {
  const key = nextKey;
  nextKey += 1;
  become([...arrivals, { key, name, state: "waiting", document: "", known: false, error: null }]);
  waiting.push({ key, take });
  void work();
}

/** Take files in. Those of a folder that the node cannot read are left out and counted. */
export function takeFiles(
  files: readonly File[],
  options: AddOptions = {},
  fromFolder = false,
): void {
  const wanted = fromFolder
    ? files.filter((file) => READS.test(file.name) && !file.name.startsWith("."))
    : files;
  skipped += files.length - wanted.length;
  if (wanted.length === 0) become([...arrivals]);
  for (const file of wanted) {
    const folder = folderOf(file);
    queue(file.name, () => addFile(file, folder === "" ? options : { ...options, folder }));
  }
}

/** Where files of a dropped folder lay in it; the browser says it of a chosen folder itself. */
const paths = new WeakMap<File, string>();
const folderOf = (file: File): string =>
  (paths.get(file) ?? file.webkitRelativePath).split("/").slice(0, -1).join("/");

/** Take a pasted text in. */
export const takeText = (text: string, options: AddOptions = {}): void =>
  queue(options.title ?? text.trim().slice(0, 48), () => addText(text, options));

/** Begin a new list: what is under way goes on. */
export function clearArrivals(): void {
  skipped = 0;
  become(arrivals.filter((arrival) => arrival.state === "waiting" || arrival.state === "sending"));
}

/** Be told whenever the node has taken something. */
export function onTaken(tell: () => void): () => void {
  whenTaken.add(tell);
  return () => whenTaken.delete(tell);
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
const NONE: readonly Arrival[] = [];
export const useArrivals = (): readonly Arrival[] =>
  useSyncExternalStore(
    subscribe,
    () => arrivals,
    () => NONE,
  );
export const useSkipped = (): number =>
  useSyncExternalStore(
    subscribe,
    () => skipped,
    () => 0,
  );

/** All files of what was dropped, folders with everything in them. */
export async function filesOf(
  transfer: DataTransfer,
): Promise<{ files: readonly File[]; folder: boolean }> {
  // The entries must be taken before the first await: the browser forgets them afterwards.
  const entries = [...transfer.items]
    .map((item) => item.webkitGetAsEntry())
    .filter((entry) => entry !== null);
  const folder = entries.some((entry) => entry.isDirectory);
  if (!folder) return { files: [...transfer.files], folder };
  return { files: (await Promise.all(entries.map(filesIn))).flat(), folder };
}

async function filesIn(entry: FileSystemEntry): Promise<readonly File[]> {
  if (entry.name.startsWith(".")) return [];
  if (entry.isFile) {
    const file = await new Promise<File>((done, fail) =>
      (entry as FileSystemFileEntry).file(done, fail),
    );
    paths.set(file, entry.fullPath.replace(/^\/+/, ""));
    return [file];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: FileSystemEntry[] = [];
  for (;;) {
    // A reader gives a hundred entries at a time, and none at the end.
    const some = await new Promise<FileSystemEntry[]>((done, fail) =>
      reader.readEntries(done, fail),
    );
    if (some.length === 0) break;
    found.push(...some);
  }
  return (await Promise.all(found.map(filesIn))).flat();
}
