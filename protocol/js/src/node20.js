// Node 20 has no Promise.withResolvers (ECMAScript 2024), which libp2p calls. Import this first.
if (Promise.withResolvers === undefined) {
  Object.defineProperty(Promise, "withResolvers", {
    configurable: true,
    writable: true,
    value: function withResolvers() {
      let resolve, reject;
      const promise = new this((fulfil, refuse) => {
        resolve = fulfil;
        reject = refuse;
      });
      return { promise, resolve, reject };
    },
  });
}
