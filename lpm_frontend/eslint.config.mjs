import jsxA11y from "eslint-plugin-jsx-a11y";
import reactHooks from "eslint-plugin-react-hooks";
import tseslint from "typescript-eslint";

export default tseslint.config(
  {
    ignores: [
      ".next/",
      "out/",
      "node_modules/",
      "public/",
      "next-env.d.ts",
      "src/lib/api/schema.d.ts",
      "*.cjs",
      "*.mjs",
      "scripts/",
    ],
  },
  ...tseslint.configs.strictTypeChecked,
  ...tseslint.configs.stylisticTypeChecked,
  jsxA11y.flatConfigs.strict,
  reactHooks.configs.flat["recommended-latest"],
  {
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      // Event handlers may be async: a rejected promise reaches the query's or the store's failed
      // face.
      "@typescript-eslint/no-misused-promises": [
        "error",
        { checksVoidReturn: { attributes: false } },
      ],
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/switch-exhaustiveness-check": [
        "error",
        { considerDefaultExhaustiveForUnions: false, requireDefaultForNonUnion: true },
      ],
      "@typescript-eslint/consistent-type-definitions": ["error", "interface"],
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      "no-restricted-properties": [
        "error",
        { object: "window", property: "alert" },
        { object: "window", property: "confirm" },
      ],
      "no-restricted-syntax": [
        "error",
        {
          selector:
            "CallExpression:matches([callee.name='mutate'], [callee.property.name='mutate']) " +
            "Property[key.name='onSuccess'] CallExpression[callee.name='offerUndo']",
          message:
            "What was acted on may have left the page by then, and is not called back: " +
            "offerUndoWhen(mutateAsync(…), …).",
        },
      ],
      "no-console": "error",
      // Code is laid out by prettier; this holds what it leaves alone: comments.
      "max-len": [
        "error",
        {
          code: 100,
          ignoreStrings: true,
          ignoreTemplateLiterals: true,
          ignoreRegExpLiterals: true,
          ignoreUrls: true,
        },
      ],
      "max-lines": ["error", { max: 400, skipBlankLines: true, skipComments: true }],
    },
  },
);
