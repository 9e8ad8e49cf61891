import { queryOptions } from "@tanstack/react-query";
import { client, unwrap } from "./client";

export interface RecallAsk {
  readonly query: string;
  readonly k: number;
  readonly since: string;
  readonly until: string;
}

/** Ask the memory itself, with the reasons. Empty dates are no dates. */
export const recallQuery = ({ query, k, since, until }: RecallAsk) =>
  queryOptions({
    queryKey: ["recall", query, k, since, until],
    queryFn: ({ signal }) =>
      unwrap(client.POST("/api/recall", { signal, body: { query, k, explain: true, ...(since === "" ? {} : { since }), ...(until === "" ? {} : { until }) } })),
    enabled: query.trim() !== "",
    staleTime: 30_000,
  });
