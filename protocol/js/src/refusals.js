// The closed list of refusals (protocol/spec/envelope.md), and what who was refused may do.

/** @typedef {"never" | "same" | "new"} Again */

/** @type {Readonly<Record<string, Again>>} */
export const AGAIN = Object.freeze({
  too_large: "never",
  malformed: "never",
  unsupported_version: "never",
  unknown_key: "same",
  decrypt_failed: "never",
  bad_signature: "never",
  sender_mismatch: "never",
  wrong_audience: "never",
  expired: "new",
  from_future: "new",
  replay: "never",
  no_grant: "new",
  grant_expired: "new",
  revoked: "new",
  out_of_scope: "new",
  escalation: "never",
  over_budget: "new",
  consent_required: "same",
  busy: "same",
});

/**
 * What came in is refused. `where` names a field of ours; `re` is the message's id once who sent it
 * is known.
 */
export class Refusal extends Error {
  /** @param {string} code @param {string} [where] */
  constructor(code, where = "") {
    super(where ? `${code}: ${where}` : code);
    this.name = "Refusal";
    this.code = code;
    this.where = where;
    /** @type {string | undefined} */
    this.re = undefined;
  }
}

/** The other side refused in words. */
export class Declined extends Error {
  /** @param {string} code @param {number} [after] */
  constructor(code, after) {
    super(`They refused: ${code}.`);
    this.name = "Declined";
    this.code = code;
    /** Seconds to wait before the same message may come again. */
    this.after = after;
    this.again = AGAIN[code];
  }
}

/** Nobody answered, or nothing that could be read: the same message may be sent again. */
export class NotReached extends Error {
  /** @param {string} why */
  constructor(why) {
    super(why);
    this.name = "NotReached";
  }
}
