// Node 20 has no Promise.withResolvers (ECMAScript 2024), which libp2p calls. Import this first.
if (Promise.withResolvers === undefined) {
  Object.defineProperty(Promise, "withResolvers", {
    configurable: true,
    writable: true,
    value() {
      /** @type {any} */
      const parts = {};
      parts.promise = new this((/** @type {any} */ resolve, /** @type {any} */ reject) =>
        Object.assign(parts, { resolve, reject }),
      );
      return parts;
    },
  });
}
