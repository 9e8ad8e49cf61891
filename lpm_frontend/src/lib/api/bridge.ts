import { client, unwrap } from "./client";

/** Make a request complete from memory, without what is struck. Nothing is sent. */
export const enhance = (request: string, strike: readonly string[]) =>
  unwrap(client.POST("/api/bridge/enhance", { body: { request, strike: [...strike] } }));

/** Hold a reply against a request. */
export const critique = (request: string, reply: string) =>
  unwrap(client.POST("/api/bridge/critique", { body: { request, reply } }));
