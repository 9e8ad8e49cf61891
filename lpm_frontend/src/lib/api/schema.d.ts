/** Stands in until the node's own description is generated over it. */
export interface Problem { title: string; detail: string; hint: string; type?: string; status?: number }
export type DocumentKind = "text" | "markdown" | "pdf" | "transcript";
export type DocumentState = "received" | "ready" | "failed";
export interface Document { id: string; title: string; kind: DocumentKind; sha256: string; bytes: number; state: DocumentState; created_at: string | null; added_at: string; tags: string[]; private: boolean; error: Problem | null; name: string; passages: number; job: string | null }
export type JobState = "queued" | "running" | "succeeded" | "failed" | "cancelled";
export interface Job { id: string; kind: string; state: JobState; progress: number; step: string; message: string; error: Problem | null; created_at: string; ended_at: string | null; document: string | null }
export interface Part3 { id: string; state: "ready" | "starting" | "down"; sentence: string }
export interface Status { version: string; name: string; intro: string; named: boolean; documents: number; chunks: number; address: string; level: "words" | "words+vectors"; model: Part3; embedder: Part3; jobs_running: number; left: { bytes: number; sentence: string } }
export interface Check { id: string; state: "fine" | "look" | "broken"; sentence: string; command: string }
export interface Health { checks: Check[]; checked_at: string }
export interface Identity { name: string; introduction: string; style: string; languages: string[] }
export interface Settings { language: "system" | "en" | "ja"; theme: "system" | "light" | "dark"; single_keys: boolean }
export interface Accepted { document: Document; job: Job | null }
export interface TextWindow { text: string; start: number; end: number; length: number; line: number; version: string; pages: { page: number; start: number; end: number }[] }
export interface Passage { id: string; start: number; end: number; text: string; speaker: string | null; said_at: string | null; page: number | null; source: string }
export interface Signals { words: number; meaning: number; time: number; entity: number; neighbours: number; form: number }
export interface Item { id: string; kind: string; content: string; timestamp: string | null; valid_from: string | null; valid_until: string | null; entities: string[]; confidence: number | null; source: string; score: number; signals: Signals | null; matched: string[]; speaker: string | null; document: { id: string; title: string; kind: DocumentKind; private: boolean }; start: number; end: number; page: number | null }
export interface Recollection { items: Item[]; tokens: number; level: "words" | "words+vectors"; considered: number; answerable: number }
export interface Citation { n: number; id: string; source: string; quote: string; document: string; title: string; start: number; end: number; page: number | null }
export interface Part { kind: "statement" | "quotation" | "note"; text: string; citations: number[] }
export interface Turn { id: string; role: "user" | "assistant"; text: string; state: "done" | "stopped" | "failed"; created_at: string; parts: Part[]; citations: Citation[]; evidence: Item[]; model: string | null; abstained: boolean; problem: Problem | null }
export interface Conversation { id: string; title: string; created_at: string; updated_at: string; turns: number; items?: Turn[] }
export interface Model { id: string; kind: "bundled" | "file" | "endpoint" | "scripted"; name: string; active: boolean; detail: string }
export interface Probe { ok: boolean; sentence: string; context_window: number | null; words_per_second: number | null }
export type Choice = { kind: "bundled" } | { kind: "file"; path: string } | { kind: "endpoint"; url: string; key?: string; model?: string };
export interface Key { id: string; name: string; scopes: ("chat" | "recall" | "write" | "admin")[]; created_at: string }
export interface KeyMade extends Key { key: string }
export interface Page<T> { items: T[]; next_cursor: string | null }
interface Op<R, I = unknown, S extends number = 200> { parameters: I extends { parameters: infer P } ? P : Record<string, never>; requestBody?: I extends { body: infer B } ? { content: { "application/json": B } } : never; responses: { [K in S]: { headers: Record<string, unknown>; content: { "application/json": R } } } & { default: { headers: Record<string, unknown>; content: { "application/problem+json": Problem } } } }
interface ById { parameters: { path: { id: string } } }
interface Paged { parameters: { query?: { limit?: number; cursor?: string } } }
export interface paths {
  "/api/status": { get: Op<Status> };
  "/api/health": { get: Op<Health> };
  "/api/identity": { get: Op<Identity>; put: Op<Identity, { body: Identity }> };
  "/api/settings": { get: Op<Settings>; put: Op<Settings, { body: Settings }> };
  "/api/documents": { get: Op<Page<Document>, { parameters: { query?: { state?: string; q?: string; limit?: number; cursor?: string } } }>; post: Op<Accepted, { body: { text: string; title?: string; created_at?: string; tags?: string[]; private?: boolean } }, 202> };
  "/api/documents/{id}": { get: Op<Document, ById>; patch: Op<Document, ById & { body: { title?: string; tags?: string[]; private?: boolean; created_at?: string } }>; delete: Op<never, ById, 204> };
  "/api/documents/{id}/text": { get: Op<TextWindow, { parameters: { path: { id: string }; query?: { start?: number; end?: number } } }> };
  "/api/documents/{id}/passages": { get: Op<Page<Passage>, { parameters: { path: { id: string }; query?: { limit?: number; cursor?: string } } }> };
  "/api/recall": { post: Op<Recollection, { body: { query: string; k?: number; since?: string; until?: string; tags?: string[]; token_budget?: number; explain?: boolean } }> };
  "/api/conversations": { get: Op<Page<Conversation>, Paged>; post: Op<Conversation, { body: { title?: string } }, 201> };
  "/api/conversations/{id}": { get: Op<Conversation, ById>; patch: Op<Conversation, ById & { body: { title: string } }>; delete: Op<never, ById, 204> };
  "/api/jobs": { get: Op<Page<Job>, { parameters: { query?: { state?: string; limit?: number } } }> };
  "/api/jobs/{id}/cancel": { post: Op<Job, ById> };
  "/api/jobs/{id}/retry": { post: Op<Job, ById, 202> };
  "/api/models": { get: Op<Page<Model>> };
  "/api/models/probe": { post: Op<Probe, { body: Choice }> };
  "/api/models/active": { put: Op<Part3, { body: Choice }> };
  "/api/keys": { get: Op<Page<Key>>; post: Op<KeyMade, { body: { name: string; scopes: Key["scopes"] } }, 201> };
  "/api/keys/{id}": { delete: Op<never, ById, 204> };
}
