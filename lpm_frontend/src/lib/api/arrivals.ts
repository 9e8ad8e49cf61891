/**
 * Arrivals joined with what the node says about their documents and jobs, as one list that both the
 * first page and the dialog show.
 */
import { useQueries, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { onTaken, useArrivals, type Arrival } from "../intake";
import { documentQuery, refreshLibrary } from "./documents";
import { useJobs } from "./jobs";
import type { Document, Job } from "./types";

export interface Reading {
  readonly arrival: Arrival;
  readonly document: Document | undefined;
  readonly job: Job | undefined;
}

/**
 * Every arrival with its document and the job that reads it, asked for again while it is being
 * read.
 */
export function useReadings(): readonly Reading[] {
  const arrivals = useArrivals();
  const cache = useQueryClient();
  const jobs = useJobs().data?.items ?? [];
  useEffect(() => onTaken(() => void refreshLibrary(cache)), [cache]);
  const ids = [...new Set(arrivals.map((arrival) => arrival.document).filter((id) => id !== ""))];
  const documents = useQueries({
    queries: ids.map((id) => ({
      ...documentQuery(id),
      refetchInterval: (query: { state: { data?: Document | undefined } }) =>
        query.state.data?.state === "received" ? 1_000 : false,
    })),
    combine: (results) =>
      new Map(
        results.flatMap((result) => (result.data ? [[result.data.id, result.data] as const] : [])),
      ),
  });
  return arrivals.map((arrival) => ({
    arrival,
    document: documents.get(arrival.document),
    job: jobs.find((job) => job.document === arrival.document && arrival.document !== ""),
  }));
}
