/**
 * What the node streams, understood as the contract describes it. An event of a later node that
 * this page does not know is passed over; one that it knows and that is shaped otherwise is a
 * fault.
 */
import { isObject } from "./json";
import type { StreamEvent } from "./sse";
import type { AnswerEvent, TrialEvent } from "./types";

type Told = AnswerEvent | TrialEvent;
type Check = (value: unknown) => boolean;
type Fields<D> = { readonly [F in keyof D]-?: Check };

/** Give the event where it is of one kind, else nothing. Throws where it is not shaped so. */
type Understand<E extends Told> = (event: StreamEvent) => E | null;
type Kinds<E extends Told> = {
  readonly [N in E["event"]]: Understand<Extract<E, { event: N }>>;
};

const isString = (value: unknown): boolean => typeof value === "string";
const isNumber = (value: unknown): boolean => typeof value === "number";
const isBoolean = (value: unknown): boolean => typeof value === "boolean";
const isList = (value: unknown): boolean => Array.isArray(value);

/** Events of one kind: their name, and what each field of their data has to be. */
function kind<E extends Told>(name: E["event"], fields: Fields<E["data"]>): Understand<E> {
  const isSo = (told: unknown): told is E => {
    if (!isObject(told) || told["event"] !== name || !isObject(told["data"])) return false;
    for (const field in fields) if (!fields[field](told["data"][field])) return false;
    return true;
  };
  return ({ event, data }) => {
    if (event !== name) return null;
    const parsed: unknown = JSON.parse(data);
    const told = { event, data: parsed };
    if (!isSo(told)) throw new TypeError(`The event “${event}” is not as the contract says.`);
    return told;
  };
}

type Of<N extends AnswerEvent["event"]> = Extract<AnswerEvent, { event: N }>;
type OfTrial<N extends TrialEvent["event"]> = Extract<TrialEvent, { event: N }>;

const ANSWER: Kinds<AnswerEvent> = {
  evidence: kind<Of<"evidence">>("evidence", {
    turn: isObject,
    items: isList,
    level: isString,
    answer_id: isString,
  }),
  waiting: kind<Of<"waiting">>("waiting", { ahead: isNumber }),
  thought: kind<Of<"thought">>("thought", { text: isString }),
  token: kind<Of<"token">>("token", { part: isNumber, kind: isString, text: isString }),
  citation: kind<Of<"citation">>("citation", { part: isNumber, citation: isObject }),
  done: kind<Of<"done">>("done", { turn: isObject }),
  exhausted: kind<Of<"exhausted">>("exhausted", { turn: isObject }),
  failed: kind<Of<"failed">>("failed", {
    problem: isObject,
    turn: (value) => value === null || isObject(value),
  }),
};

const TRIAL: Kinds<TrialEvent> = {
  token: ANSWER.token,
  citation: ANSWER.citation,
  done: kind<OfTrial<"done">>("done", { abstained: isBoolean, outcome: isString }),
  failed: kind<OfTrial<"failed">>("failed", { problem: isObject }),
};

function firstOf<E extends Told>(kinds: readonly Understand<E>[]): Understand<E> {
  return (event) => {
    for (const understand of kinds) {
      const told = understand(event);
      if (told) return told;
    }
    return null;
  };
}

/** An event of an answer that is kept. */
export const answerEvent: Understand<AnswerEvent> = firstOf<AnswerEvent>(Object.values(ANSWER));
/** An event of the answer of a role that is tried. */
export const trialEvent: Understand<TrialEvent> = firstOf<TrialEvent>(Object.values(TRIAL));
