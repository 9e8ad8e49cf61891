/** Roles: keeping them, seeing what a scope lets in, trying one, handing one on. */
import {
  keepPreviousData,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { client, unwrap } from "./client";
import type { Role, RoleFile, RoleWish, Sees } from "./types";

const rolesQuery = queryOptions({
  queryKey: ["roles", "list"],
  queryFn: ({ signal }) => unwrap(client.GET("/api/roles", { signal })),
});
export const useRoles = (enabled = true) => useQuery({ ...rolesQuery, enabled });

/** One of them; nothing is asked without an id. */
export const useRole = (id: string) =>
  useQuery({
    queryKey: ["roles", "one", id],
    queryFn: ({ signal }) =>
      unwrap(client.GET("/api/roles/{id}", { signal, params: { path: { id } } })),
    enabled: id !== "",
  });

/** The roles to begin from, in a language. */
export const useRoleStarters = (language: "en" | "ja") =>
  useQuery({
    queryKey: ["roles", "starters", language],
    queryFn: ({ signal }) =>
      unwrap(client.GET("/api/roles/starters", { signal, params: { query: { language } } })),
    staleTime: Infinity,
  });

/** What a scope lets in now, before a role with it is kept. */
export const useSight = (sees: Sees) =>
  useQuery({
    queryKey: ["roles", "sight", sees],
    queryFn: ({ signal }) =>
      unwrap(
        client.POST("/api/roles/sees", { signal, params: { query: { limit: 6 } }, body: sees }),
      ),
    placeholderData: keepPreviousData,
  });

/** What several roles see together in one conversation: what every one of them may see. */
export const togetherQuery = (roles: readonly string[]) =>
  queryOptions({
    queryKey: ["roles", "together", ...roles],
    queryFn: ({ signal }) =>
      unwrap(client.POST("/api/roles/together", { signal, body: { roles: [...roles] } })),
  });

/** Keep a role: a new one, or how one reads now. */
export function useKeepRole() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: ({
      id,
      starter,
      wish,
    }: {
      id: string;
      starter: string;
      wish: RoleWish;
    }): Promise<Role> =>
      id === ""
        ? unwrap(client.POST("/api/roles", { body: { ...wish, id: "", starter } }))
        : unwrap(client.PUT("/api/roles/{id}", { params: { path: { id } }, body: wish })),
    onSuccess: () => cache.invalidateQueries({ queryKey: ["roles", "list"] }),
  });
}

export function useDeleteRole() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(client.DELETE("/api/roles/{id}", { params: { path: { id } } })),
    onSuccess: () => cache.invalidateQueries({ queryKey: ["roles", "list"] }),
  });
}

export function useRestoreRole() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(client.POST("/api/roles/{id}/restore", { params: { path: { id } } })),
    onSuccess: () => cache.invalidateQueries({ queryKey: ["roles", "list"] }),
  });
}

/** Take in a role that somebody handed on. What it may hold is the node's to judge. */
export function useImportRole() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: async (file: File) =>
      unwrap(client.POST("/api/roles/import", { body: JSON.parse(await file.text()) as RoleFile })),
    onSuccess: () => cache.invalidateQueries({ queryKey: ["roles", "list"] }),
  });
}

export const exportAddress = (id: string): string => `/api/roles/${encodeURIComponent(id)}/export`;
