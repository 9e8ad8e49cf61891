/** The days of a life: how much each holds, and what. */
import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useInfiniteQuery,
  useQuery,
} from "@tanstack/react-query";
import { client, unwrap } from "./client";

/** The figures of one year. */
export const yearQuery = (year: number) =>
  queryOptions({
    queryKey: ["timeline", "year", year],
    queryFn: ({ signal }) =>
      unwrap(
        client.GET("/api/timeline", {
          signal,
          params: {
            query: {
              from: `${String(year).padStart(4, "0")}-01-01`,
              to: `${String(year).padStart(4, "0")}-12-31`,
            },
          },
        }),
      ),
    placeholderData: keepPreviousData,
  });
export const useYear = (year: number) => useQuery(yearQuery(year));

/** What the days of a stretch hold, the latest first. */
export const toldQuery = (from: string, to: string) =>
  infiniteQueryOptions({
    queryKey: ["timeline", "told", from, to],
    queryFn: ({ signal, pageParam }) =>
      unwrap(
        client.GET("/api/timeline", {
          signal,
          params: {
            query: {
              from,
              to,
              detail: true,
              limit: 10,
              ...(pageParam === "" ? {} : { cursor: pageParam }),
            },
          },
        }),
      ),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
export const useTold = (from: string, to: string) => useInfiniteQuery(toldQuery(from, to));

/** The days of earlier years that are like today. */
export const anniversariesQuery = (day: string) =>
  queryOptions({
    queryKey: ["timeline", "anniversaries", day],
    queryFn: ({ signal }) =>
      unwrap(client.GET("/api/timeline/anniversaries", { signal, params: { query: { on: day } } })),
  });

/** What an entry of today may begin from. */
export const occasionsQuery = (day: string) =>
  queryOptions({
    queryKey: ["timeline", "occasions", day],
    queryFn: ({ signal }) =>
      unwrap(client.GET("/api/timeline/occasions", { signal, params: { query: { on: day } } })),
  });
