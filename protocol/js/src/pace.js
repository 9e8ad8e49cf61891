// How much at once (protocol/spec/session.md): a bucket of tokens for each contact and verb.

/** @type {Record<string, [burst: number, seconds: number]>} */
const RATES = {
  hello: [4, 60],
  card: [8, 30],
  ask: [8, 10],
  recall: [16, 4],
  offer: [16, 30],
  fetch: [64, 0.5],
  grant: [16, 30],
  discuss: [64, 1],
  bye: [4, 60],
};

export class Pace {
  /** @type {Map<string, {left: number, since: number}>} */
  #buckets = new Map();

  /**
   * Take one out, and say whether there was one.
   * @param {string} by
   * @param {string} verb
   * @param {number} now
   */
  admits(by, verb, now) {
    const [burst, seconds] = RATES[verb];
    const bucket = this.#buckets.get(`${by} ${verb}`) ?? { left: burst, since: now };
    const left = Math.min(burst, bucket.left + Math.max(0, now - bucket.since) / seconds);
    const admitted = left >= 1;
    this.#buckets.set(`${by} ${verb}`, {
      left: left - (admitted ? 1 : 0),
      since: Math.max(now, bucket.since),
    });
    return admitted;
  }
}
