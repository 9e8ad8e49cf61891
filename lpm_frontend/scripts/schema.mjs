/**
 * Writes the node's shapes as types, from the description of its API. Where a shape is a text that
 * holds JSON, as the data of a streamed event is, its type is what stands in the JSON: whoever
 * reads a stream parses it first.
 */
import { readFile, writeFile } from "node:fs/promises";
import openapiTS, { astToString, COMMENT_HEADER } from "openapi-typescript";

const from = new URL("../../lpm_kernel/api/openapi.json", import.meta.url);
const to = new URL("../src/lib/api/schema.d.ts", import.meta.url);

const api = JSON.parse(await readFile(from, "utf8"), (_, value) =>
  value?.contentMediaType === "application/json" ? value.contentSchema : value,
);
const types = await openapiTS(api, {
  defaultNonNullable: false,
  rootTypes: true,
  rootTypesNoSchemaPrefix: true,
  silent: true,
});
await writeFile(to, `${COMMENT_HEADER}${astToString(types)}`);
