/**
 * The one door to the node. Every call goes through {@link unwrap}, which turns problem+json, a
 * refused login and a silent node into
 * {@link NodeProblem}, so that a screen has one kind of failure to show.
 */
import createClient from "openapi-fetch";
import { isObject } from "./json";
import type { paths } from "./schema";

/**
 * Why a call did not work: `silent` is a node that does not answer, `signed-out` one that does not
 * know this browser.
 */
export type ProblemKind = "silent" | "signed-out" | "refused";

/**
 * What happened, what is safe, what one can do: the three sentences of an error. Holds no memory
 * text.
 */
export class NodeProblem extends Error {
  override readonly name = "NodeProblem";
  constructor(
    readonly kind: ProblemKind,
    readonly status: number,
    readonly title: string,
    readonly detail: string,
    readonly hint: string,
    readonly type = "",
  ) {
    super(title);
  }
}

export const client = createClient<paths>({ baseUrl: "", credentials: "same-origin" });

const text = (body: unknown, field: string): string => {
  const value = isObject(body) ? body[field] : undefined;
  return typeof value === "string" ? value : "";
};

/** Read a problem+json body, whatever of it is there. */
export function problemFrom(status: number, body: unknown): NodeProblem {
  // 502 to 504 come from a proxy in front of a node that is not there.
  const kind: ProblemKind =
    status === 401
      ? "signed-out"
      : status >= 502 && status <= 504 && text(body, "title") === ""
        ? "silent"
        : "refused";
  return new NodeProblem(
    kind,
    status,
    text(body, "title"),
    text(body, "detail"),
    text(body, "hint"),
    text(body, "type"),
  );
}

/** The network itself failed: the node is down or restarting. */
export const silence = (): NodeProblem => new NodeProblem("silent", 0, "", "", "");

type Answer<T> = { readonly response: Response } & (
  | { readonly data: T; readonly error?: undefined }
  | { readonly data?: undefined; readonly error: object }
);

/** Give back the data or throw {@link NodeProblem}. A 204 gives `undefined`. */
export async function unwrap<T>(call: Promise<Answer<T>>): Promise<T> {
  let answer: Answer<T>;
  try {
    answer = await call;
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === "AbortError") throw cause;
    if (cause instanceof TypeError) throw silence();
    throw cause;
  }
  if (!answer.response.ok || answer.error !== undefined)
    throw problemFrom(answer.response.status, answer.error);
  return answer.data;
}
