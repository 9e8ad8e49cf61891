import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { client, unwrap } from "./client";

export const conversationsQuery = queryOptions({
  queryKey: ["conversations", "list"],
  queryFn: ({ signal }) => unwrap(client.GET("/api/conversations", { signal, params: { query: { limit: 100 } } })),
});
export const useConversations = () => useQuery(conversationsQuery);

export const conversationQuery = (id: string) =>
  queryOptions({ queryKey: ["conversations", "one", id], queryFn: ({ signal }) => unwrap(client.GET("/api/conversations/{id}", { signal, params: { path: { id } } })) });
export const useConversation = (id: string) => useQuery({ ...conversationQuery(id), enabled: id !== "" });

export const createConversation = () => unwrap(client.POST("/api/conversations", { body: {} }));

export function useRenameConversation() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: ({ id, title }: { id: string; title: string }) => unwrap(client.PATCH("/api/conversations/{id}", { params: { path: { id } }, body: { title } })),
    onSuccess: () => cache.invalidateQueries({ queryKey: ["conversations"] }),
  });
}

/** Delete now. `keepalive` lets the call outlive the page that is being closed. */
export const deleteConversation = (id: string, keepalive = false) => unwrap(client.DELETE("/api/conversations/{id}", { params: { path: { id } }, keepalive }));
