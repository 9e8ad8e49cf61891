// Complete lpm_frontend/package-lock.json for systems whose builds the registry at hand did not list.
//
// npm leaves an optional package out of the lock when it cannot see it, and `npm ci` then refuses the lock as a whole. Next names
// a compiler for each system; the entries below say for which system each is, so npm fetches it there and passes over it elsewhere.
import { readFileSync, writeFileSync } from "node:fs";

const path = new URL("../lpm_frontend/package-lock.json", import.meta.url);
const lock = JSON.parse(readFileSync(path, "utf8"));
const { "": root, ...packages } = lock.packages;
const wanted = packages["node_modules/next"].optionalDependencies ?? {};

for (const [name, version] of Object.entries(wanted)) {
  const system = /^@next\/swc-(darwin|win32|linux|freebsd)-(arm64|x64)/.exec(name);
  const place = `node_modules/${name}`;
  if (system && !packages[place]) {
    packages[place] = { version, cpu: [system[2]], license: "MIT", optional: true, os: [system[1]], engines: { node: ">= 10" } };
    console.log(`added ${name} ${version}`);
  }
}

const sorted = Object.fromEntries(Object.entries(packages).sort(([left], [right]) => (left < right ? -1 : 1)));
writeFileSync(path, `${JSON.stringify({ ...lock, packages: { "": root, ...sorted } }, null, 2)}\n`);
