/**
 * The zones of the front end: app → features → ui | lib. Features do not know each other; ui does
 * not fetch.
 */
module.exports = {
  forbidden: [
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    {
      name: "features-do-not-know-each-other",
      severity: "error",
      from: { path: "^src/features/([^/]+)/" },
      to: { path: "^src/features/", pathNot: "^src/features/$1/" },
    },
    {
      name: "features-do-not-know-routes",
      severity: "error",
      from: { path: "^src/features/" },
      to: { path: "^src/app/" },
    },
    {
      name: "ui-stands-below",
      severity: "error",
      from: { path: "^src/ui/" },
      to: { path: "^src/(app|features)/" },
    },
    {
      name: "ui-does-not-fetch",
      severity: "error",
      from: { path: "^src/ui/" },
      to: { path: ["^src/lib/api/(?!types\\.ts)", "@tanstack/react-query", "openapi-fetch"] },
    },
    {
      name: "lib-stands-below",
      severity: "error",
      from: { path: "^src/lib/" },
      to: { path: "^src/(app|features|ui)/" },
    },
    {
      name: "one-door-to-the-node",
      severity: "error",
      from: { pathNot: "^src/lib/api/" },
      to: { path: "node_modules/openapi-fetch" },
    },
    {
      name: "no-orphans",
      severity: "error",
      from: { orphan: true, pathNot: ["\\.d\\.ts$", "\\.test\\.tsx?$", "^src/app/"] },
      to: {},
    },
    {
      name: "only-what-is-declared",
      severity: "error",
      from: {},
      to: {
        dependencyTypes: ["npm-no-pkg", "npm-unknown", "npm-dev"],
        pathNot: "node_modules/@types",
      },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "\\.test\\.tsx?$" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "require", "node", "default", "types"],
    },
  },
};
