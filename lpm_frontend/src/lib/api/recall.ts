import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { client, unwrap } from "./client";
import type { Document, Memory } from "./types";

export interface RecallAsk {
  readonly query: string;
  readonly k: number;
  readonly since: string;
  readonly until: string;
  readonly kinds?: readonly Document["kind"][];
  /** Kinds of statement, or `passage` for what is none. */
  readonly said?: readonly Memory["kind"][];
  readonly tags?: readonly string[];
  readonly entities?: readonly string[];
  readonly folder?: string;
  /** It is being typed: the last word stands for all that begin with it. */
  readonly typing?: boolean;
}

/** Ask the memory itself, with the reasons. What is empty does not narrow anything. */
export const recallQuery = ({
  query,
  k,
  since,
  until,
  kinds = [],
  said = [],
  tags = [],
  entities = [],
  folder = "",
  typing = false,
}: RecallAsk) =>
  queryOptions({
    queryKey: ["recall", query, k, since, until, kinds, said, tags, entities, folder, typing],
    queryFn: ({ signal }) =>
      unwrap(
        client.POST("/api/recall", {
          signal,
          body: {
            query,
            k,
            explain: true,
            ...(typing ? { typing } : {}),
            ...(since === "" ? {} : { since }),
            ...(until === "" ? {} : { until }),
            ...(kinds.length === 0 ? {} : { document_kinds: [...kinds] }),
            ...(said.length === 0 ? {} : { kinds: [...said] }),
            ...(tags.length === 0 ? {} : { tags: [...tags] }),
            ...(entities.length === 0 ? {} : { entities: [...entities] }),
            ...(folder === "" ? {} : { folder }),
          },
        }),
      ),
    enabled: query.trim() !== "",
    staleTime: 30_000,
  });

/** Who and what is named, most often first. */
export const namesQuery = (beginning: string) =>
  queryOptions({
    queryKey: ["recall", "names", beginning],
    queryFn: ({ signal }) =>
      unwrap(
        client.GET("/api/recall/names", { signal, params: { query: { q: beginning, limit: 40 } } }),
      ),
    staleTime: 30_000,
    placeholderData: keepPreviousData,
  });
