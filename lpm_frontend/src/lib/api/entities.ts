/**
 * People, places, things and ideas: who and what is named, what is known of each, and what the
 * person says of it.
 */
import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
  type QueryClient,
} from "@tanstack/react-query";
import { client, unwrap } from "./client";
import type { Language } from "@/lib/i18n";
import type { EntityKind } from "./types";

const PAGE = 60;

export const entitiesQuery = (text: string, kind: EntityKind | "") =>
  infiniteQueryOptions({
    queryKey: ["entities", "list", text, kind],
    queryFn: ({ signal, pageParam }) =>
      unwrap(
        client.GET("/api/entities", {
          signal,
          params: {
            query: {
              limit: PAGE,
              text,
              ...(kind === "" ? {} : { kind }),
              ...(pageParam === "" ? {} : { cursor: pageParam }),
            },
          },
        }),
      ),
    initialPageParam: "",
    getNextPageParam: (page) => page.next ?? undefined,
    placeholderData: keepPreviousData,
  });
/** Those whose names begin so, the most named first, a page at a time. */
export const useEntities = (text: string, kind: EntityKind | "", enabled = true) =>
  useInfiniteQuery({ ...entitiesQuery(text, kind), enabled });

export const entityQuery = (slug: string, language: Language) =>
  queryOptions({
    queryKey: ["entities", "one", slug, language],
    queryFn: ({ signal }) =>
      unwrap(
        client.GET("/api/entities/{slug}", {
          signal,
          params: { path: { slug }, query: { language } },
        }),
      ),
  });
/** One of them, with all that is known of it, and who it is in the screen's language. */
export const useEntity = (slug: string, language: Language) =>
  useQuery({ ...entityQuery(slug, language), enabled: slug !== "" });

/** Every document that names it, the one that named it last first, a page at a time. */
export const namingQuery = (slug: string) =>
  infiniteQueryOptions({
    queryKey: ["entities", "naming", slug],
    queryFn: ({ signal, pageParam }) =>
      unwrap(
        client.GET("/api/entities/{slug}/documents", {
          signal,
          params: {
            path: { slug },
            query: { limit: PAGE, ...(pageParam === "" ? {} : { cursor: pageParam }) },
          },
        }),
      ),
    initialPageParam: "",
    getNextPageParam: (page) => page.next ?? undefined,
  });
export const useNaming = (slug: string) => useInfiniteQuery(namingQuery(slug));

const refresh = (cache: QueryClient) =>
  Promise.all([
    cache.invalidateQueries({ queryKey: ["entities"] }),
    cache.invalidateQueries({ queryKey: ["graph"] }),
  ]);

/**
 * What the person says of an entity: how it is called, what it is, what it is one with, what of it
 * is another.
 */
export type Saying =
  | {
      readonly what: "change";
      readonly slug: string;
      readonly change: {
        readonly name?: string;
        readonly kind?: EntityKind;
        readonly hidden?: boolean;
      };
    }
  | { readonly what: "merge"; readonly into: string; readonly slugs: readonly string[] }
  | { readonly what: "apart"; readonly slugs: readonly string[] }
  | {
      readonly what: "split";
      readonly slug: string;
      readonly name: string;
      readonly documents: readonly string[];
    };

function said(saying: Saying) {
  switch (saying.what) {
    case "change":
      return unwrap(
        client.PATCH("/api/entities/{slug}", {
          params: { path: { slug: saying.slug } },
          body: saying.change,
        }),
      );
    case "merge":
      return unwrap(
        client.POST("/api/entities/merge", {
          body: { into: saying.into, slugs: [...saying.slugs] },
        }),
      );
    case "apart":
      return unwrap(client.POST("/api/entities/apart", { body: { slugs: [...saying.slugs] } }));
    case "split":
      return unwrap(
        client.POST("/api/entities/{slug}/split", {
          params: { path: { slug: saying.slug } },
          body: { name: saying.name, documents: [...saying.documents] },
        }),
      );
  }
}

/** Say it; what comes back names the decision, which can be taken back. */
export function useSayOfEntity() {
  const cache = useQueryClient();
  return useMutation({ mutationFn: said, onSuccess: () => refresh(cache) });
}

export function useUnsayOfEntity() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(client.DELETE("/api/entities/decisions/{id}", { params: { path: { id } } })),
    onSuccess: () => refresh(cache),
  });
}
