// Grants, and what one of them allows (protocol/spec/grants.md).
import { DAY, DID, readStatement } from "./keys.js";
import { checkTags, FORM, FORMS, GRANTED, KINDS, LAYERS, PURPOSE, TAGS } from "./messages.js";
import { Refusal } from "./refusals.js";
import { choice, ID, list, misshapen, number, orNull, record, SECONDS, VERSION } from "./shape.js";

const GRANT = record({
  v: VERSION,
  id: ID,
  iss: DID,
  aud: DID,
  nbf: SECONDS,
  exp: SECONDS,
  verbs: list(choice(GRANTED), 1, GRANTED.length, { distinct: true }),
  tags: TAGS,
  kinds: KINDS,
  layers: LAYERS,
  since: orNull(SECONDS),
  until: orNull(SECONDS),
  form: FORM,
  purpose: PURPOSE,
  calls: number(0, 10_000),
  bytes: number(0, 2 ** 30),
  tokens: number(0, 10_000_000),
  consent: choice(["auto", "ask"]),
  depth: number(0, 1),
  parent: orNull(ID),
});

/**
 * @typedef {{v: 1, id: string, iss: string, aud: string, nbf: number, exp: number, verbs: string[],
 * tags: string[], kinds: string[], layers: string[], since: number | null, until: number | null,
 * form: string, purpose: string, calls: number, bytes: number, tokens: number, consent: "auto" |
 * "ask", depth: number, parent: string | null}} Grant
 */
/** @typedef {{calls: number, bytes: number, tokens: number}} Cost */
/** @typedef {{grant: Grant, revoked?: boolean, spent?: Partial<Cost>, parent?: Held}} Held */
/**
 * @typedef {{by: string, owner: string, verb: string, purpose: string, scope: any, cost: Cost,
 * consented?: boolean}} Wanted
 */
/**
 * @typedef {Pick<Grant, "tags" | "kinds" | "layers" | "since" | "until" | "form" | "purpose">}
 * Scope
 */

/**
 * Read and verify a grant. Refuses `malformed`, `bad_signature`.
 * @param {string} carried
 * @returns {Grant}
 */
export function readGrant(carried) {
  const value = readStatement(carried, 16_384, "grant", "iss");
  GRANT(value, "grant");
  checkTags(value.tags);
  if (value.iss === value.aud) misshapen("grant.aud");
  if (value.nbf >= value.exp || value.exp > value.nbf + 366 * DAY) misshapen("grant.exp");
  if (value.since !== null && value.until !== null && value.since >= value.until)
    misshapen("grant.until");
  return value;
}

/** @param {string[]} inner @param {string[]} outer */
const within = (inner, outer) => inner.every((each) => outer.includes(each));
/** @param {string[]} inner @param {string[]} outer */
const tagged = (inner, outer) =>
  outer.includes("*") || (!inner.includes("*") && within(inner, outer));
/** @param {number | null} inner @param {number | null} outer */
const notBefore = (inner, outer) => outer === null || (inner !== null && inner >= outer);
/** @param {number | null} inner @param {number | null} outer */
const notAfter = (inner, outer) => outer === null || (inner !== null && inner <= outer);
/** @param {string} form */
const rank = (form) => FORMS.indexOf(form);
/** @param {Partial<Cost>} cost @param {Cost} most */
const fits = (cost, most) =>
  (cost.calls ?? 0) <= most.calls &&
  (cost.bytes ?? 0) <= most.bytes &&
  (cost.tokens ?? 0) <= most.tokens;

/**
 * Whether a grant gives nothing that the other does not.
 * @param {Grant} child
 * @param {Grant} parent
 */
export const narrower = (child, parent) =>
  within(child.verbs, parent.verbs) &&
  tagged(child.tags, parent.tags) &&
  within(child.kinds, parent.kinds) &&
  within(child.layers, parent.layers) &&
  notBefore(child.since, parent.since) &&
  notAfter(child.until, parent.until) &&
  rank(child.form) <= rank(parent.form) &&
  child.purpose === parent.purpose &&
  child.nbf >= parent.nbf &&
  child.exp <= parent.exp &&
  fits(child, parent) &&
  (child.consent === "ask" || parent.consent === "auto") &&
  child.depth <= parent.depth;

/** @param {Grant} child @param {Held} parent */
const passedOn = (child, parent) =>
  parent.grant.id === child.parent &&
  parent.grant.aud === child.iss &&
  parent.grant.parent === null &&
  parent.parent === undefined &&
  parent.grant.depth === 1 &&
  child.depth === 0 &&
  narrower(child, parent.grant);

/**
 * Refuse a grant that does not stand at all: checks 1 to 4, made again when an answer leaves.
 * @param {Held} held
 * @param {string} by
 * @param {string} owner
 * @param {number} now
 */
export function stands({ grant, revoked, parent }, by, owner, now) {
  const root = parent?.grant ?? grant;
  if (grant.aud !== by || root.iss !== owner) throw new Refusal("no_grant", "aud");
  if ((grant.parent === null) !== (parent === undefined)) throw new Refusal("escalation", "parent");
  if (parent !== undefined && !passedOn(grant, parent)) throw new Refusal("escalation", "parent");
  if (revoked || parent?.revoked) throw new Refusal("revoked", "grant");
  for (const each of [grant, root])
    if (now < each.nbf || now >= each.exp) throw new Refusal("grant_expired", "grant");
}

/**
 * The scope that a request is answered from; refuses with the first check that fails.
 * @param {Held} held
 * @param {Wanted} wanted
 * @param {number} now
 * @returns {Scope}
 */
export function allows(held, wanted, now) {
  stands(held, wanted.by, wanted.owner, now);
  const { grant } = held;
  if (!grant.verbs.includes(wanted.verb)) throw new Refusal("out_of_scope", "verb");
  if (wanted.purpose !== grant.purpose) throw new Refusal("out_of_scope", "purpose");
  const scope = narrowed(grant, wanted.scope ?? {});
  if (wanted.verb === "fetch" && scope.form !== "verbatim")
    throw new Refusal("out_of_scope", "form");
  const rows = held.parent === undefined ? [held] : [held, held.parent];
  for (const row of rows)
    if (!fits(sum(row.spent, wanted.cost), row.grant)) throw new Refusal("over_budget", "daily");
  if (!wanted.consented && rows.some((row) => row.grant.consent === "ask"))
    throw new Refusal("consent_required", "consent");
  return scope;
}

/** @param {Partial<Cost>} [spent] @param {Partial<Cost>} [more] @returns {Cost} */
export const sum = (spent = {}, more = {}) => ({
  calls: (spent.calls ?? 0) + (more.calls ?? 0),
  bytes: (spent.bytes ?? 0) + (more.bytes ?? 0),
  tokens: (spent.tokens ?? 0) + (more.tokens ?? 0),
});

/**
 * What a request names of a scope, if it lies inside. Refuses `out_of_scope`.
 * @param {Scope} grant
 * @param {any} wish
 * @returns {Scope}
 */
export function narrowed(grant, wish) {
  const since = wish.since ?? grant.since;
  const until = wish.until ?? grant.until;
  const outside = (/** @type {string} */ field) => {
    throw new Refusal("out_of_scope", field);
  };
  if (wish.layers && !within(wish.layers, grant.layers)) outside("layers");
  if (wish.kinds && !within(wish.kinds, grant.kinds)) outside("kinds");
  if (wish.tags && !tagged(wish.tags, grant.tags)) outside("tags");
  if (!notBefore(since, grant.since)) outside("since");
  if (!notAfter(until, grant.until) || (since !== null && until !== null && since >= until))
    outside("until");
  if (wish.form && rank(wish.form) > rank(grant.form)) outside("form");
  return {
    tags: wish.tags ?? grant.tags,
    kinds: wish.kinds ?? grant.kinds,
    layers: wish.layers ?? grant.layers,
    since,
    until,
    form: wish.form ?? grant.form,
    purpose: grant.purpose,
  };
}
