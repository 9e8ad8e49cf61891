/**
 * Trainings: what would be learned, learning it, what came of it, and what answers as the person.
 */
import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { client, unwrap } from "./client";
import { isRunning, jobsQuery } from "./jobs";
import type {
  GrowthWish,
  Pair,
  PairsChange,
  Row,
  RowsChange,
  Training,
  TrainingWish,
  WordsWish,
} from "./types";

export type RowKind = Row["kind"];
export type PairRule = Pair["rule"];

const KEY = ["training"] as const;
/** As many as a home will have for years. */
const MOST_RUNS = 500;
const ROWS = 50;
const LOOK_MS = 900;
/** Another program may begin a training while the screen is open. */
const REST_MS = 15_000;

/**
 * Whether a job of any kind works at it now, or waits for its turn; one that learns counts while
 * its job is not known, too.
 */
export const isAtWork = (run: Training): boolean =>
  run.state === "working" || (run.job !== null && isRunning(run.job));
/** Whether anything is done with it, so that it will soon look otherwise. */
const isChanging = (run: Training): boolean =>
  isAtWork(run) || (run.merging !== null && isRunning(run.merging));

export const trainingStateQuery = queryOptions({
  queryKey: [...KEY, "state"],
  queryFn: ({ signal }) => unwrap(client.GET("/api/training", { signal })),
});
/** What a training would learn now, and what is in use. */
export const useTrainingState = () => useQuery(trainingStateQuery);

/** What the person wrote and did not keep, by document; read where it is asked for. */
export const useOwnDocuments = (wanted: boolean) =>
  useQuery({
    queryKey: [...KEY, "documents"],
    queryFn: ({ signal }) => unwrap(client.GET("/api/training/documents", { signal })),
    enabled: wanted,
  });

export const trainingsQuery = queryOptions({
  queryKey: [...KEY, "runs"],
  queryFn: ({ signal }) =>
    unwrap(client.GET("/api/training/runs", { signal, params: { query: { limit: MOST_RUNS } } })),
  refetchInterval: (query) =>
    query.state.data === undefined
      ? false
      : query.state.data.items.some(isChanging)
        ? LOOK_MS
        : REST_MS,
});
/** Every training, the newest first. */
export const useTrainings = () => useQuery(trainingsQuery);

/**
 * How a training goes; asked for again and again while something works at it, and once more when
 * that has ended.
 */
export const useProgress = (run: Training) =>
  useQuery({
    queryKey: [...KEY, "progress", run.id, run.state],
    queryFn: ({ signal }) =>
      unwrap(
        client.GET("/api/training/runs/{id}/progress", {
          signal,
          params: { path: { id: run.id } },
        }),
      ),
    refetchInterval: isAtWork(run) ? LOOK_MS : false,
    placeholderData: keepPreviousData,
  });

/** The end of what the program that learns writes, as long as somebody looks at it. */
export const useLog = (run: Training, isShown: boolean) =>
  useQuery({
    queryKey: [...KEY, "log", run.id, run.state],
    queryFn: ({ signal }) =>
      unwrap(
        client.GET("/api/training/runs/{id}/log", { signal, params: { path: { id: run.id } } }),
      ),
    refetchInterval: isAtWork(run) ? LOOK_MS : false,
    placeholderData: keepPreviousData,
    enabled: isShown,
  });

const rowsQuery = (id: string, kind: RowKind | "", words: string) =>
  infiniteQueryOptions({
    queryKey: [...KEY, "rows", id, kind, words],
    queryFn: ({ signal, pageParam }) =>
      unwrap(
        client.GET("/api/training/runs/{id}/rows", {
          signal,
          params: {
            path: { id },
            query: {
              limit: ROWS,
              q: words,
              ...(kind === "" ? {} : { kind }),
              ...(pageParam === "" ? {} : { cursor: pageParam }),
            },
          },
        }),
      ),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  });
/** What a training learns, a page at a time. */
export const useRowsOf = (id: string, kind: RowKind | "", words: string) =>
  useInfiniteQuery(rowsQuery(id, kind, words));
/** Where a scorecard is handed out as a file. */
export const scorecardHref = (id: string, format: "markdown" | "json"): string =>
  `/api/training/runs/${encodeURIComponent(id)}/scorecard?format=${format}&download=true`;
/** Where the rows are handed out as a file. */
export const rowsHref = (id: string): string =>
  `/api/training/runs/${encodeURIComponent(id)}/rows/export`;

const pairsQuery = (id: string, rule: PairRule | "", words: string) =>
  infiniteQueryOptions({
    queryKey: [...KEY, "pairs", id, rule, words],
    queryFn: ({ signal, pageParam }) =>
      unwrap(
        client.GET("/api/training/runs/{id}/pairs", {
          signal,
          params: {
            path: { id },
            query: {
              limit: ROWS,
              q: words,
              ...(rule === "" ? {} : { rule }),
              ...(pageParam === "" ? {} : { cursor: pageParam }),
            },
          },
        }),
      ),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  });
/** Which answers a training prefers to which, a page at a time. */
export const usePairsOf = (id: string, rule: PairRule | "", words: string) =>
  useInfiniteQuery(pairsQuery(id, rule, words));
/** Where the pairs are handed out as a file. */
export const pairsHref = (id: string): string =>
  `/api/training/runs/${encodeURIComponent(id)}/pairs/export`;

/** What it still gets wrong, answering from its weights alone. */
export const useWrongAnswers = (id: string, arm: "sft" | "sft_dpo") =>
  useQuery({
    queryKey: [...KEY, "wrong", id, arm],
    queryFn: ({ signal }) =>
      unwrap(
        client.GET("/api/training/runs/{id}/answers", {
          signal,
          params: { path: { id }, query: { arm, wrong: true, limit: 500 } },
        }),
      ),
  });

export const useLineage = (id: string) =>
  useQuery({
    queryKey: [...KEY, "lineage", id],
    queryFn: ({ signal }) =>
      unwrap(client.GET("/api/training/runs/{id}/lineage", { signal, params: { path: { id } } })),
  });

/** Which trainings learned a statement. */
export const useKnowing = (memory: string) =>
  useQuery({
    queryKey: [...KEY, "knowing", memory],
    queryFn: ({ signal }) =>
      unwrap(client.GET("/api/training/knowing", { signal, params: { query: { memory } } })),
    enabled: memory !== "",
  });

/**
 * Change something about trainings; what is shown of them is asked for again, except of one that is
 * `gone` with it.
 */
function useChange<Wish, Answer>(
  change: (wish: Wish) => Promise<Answer>,
  gone: (wish: Wish) => string | null = () => null,
) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSettled: (_, error, wish) =>
      Promise.all([
        cache.invalidateQueries({
          queryKey: KEY,
          predicate: ({ queryKey }) => error !== null || !queryKey.includes(gone(wish)),
        }),
        cache.invalidateQueries({ queryKey: jobsQuery.queryKey }),
      ]),
  });
}

const growthQuery = queryOptions({
  queryKey: [...KEY, "growth"],
  queryFn: ({ signal }) => unwrap(client.GET("/api/training/growth", { signal })),
  refetchInterval: (query) =>
    query.state.data?.last && isRunning(query.state.data.last) ? LOOK_MS : REST_MS,
});
/** When what is new is learned by itself, and what came of the last time. */
export const useGrowth = () => useQuery(growthQuery);
/** Set when, and how much. */
export const useSetGrowth = () =>
  useChange((body: GrowthWish) => unwrap(client.PATCH("/api/training/growth", { body })));
/** Learn what is new now. */
export const useGrow = () => useChange(() => unwrap(client.POST("/api/training/growth")));

/** Gather the rows and measure three steps; learning begins when one says so. */
export const usePrepare = () =>
  useChange((body: TrainingWish) =>
    unwrap(client.POST("/api/training/runs", { body: { ...body, start: false } })),
  );
/** Count what would leave for an endpoint that words the questions; nothing is sent. */
export const useWordsLeaving = () =>
  useMutation({
    mutationFn: (body: WordsWish) => unwrap(client.POST("/api/training/words", { body })),
  });
export const useLearn = () =>
  useChange((id: string) =>
    unwrap(client.POST("/api/training/runs/{id}/resume", { params: { path: { id } } })),
  );
/** Take three steps with the rows as they are now. */
export const useMeasure = () =>
  useChange((id: string) =>
    unwrap(client.POST("/api/training/runs/{id}/measure", { params: { path: { id } } })),
  );
export const useStopTraining = () =>
  useChange((id: string) =>
    unwrap(client.POST("/api/training/runs/{id}/cancel", { params: { path: { id } } })),
  );
export const usePromote = () =>
  useChange(({ id, insist }: { id: string; insist: boolean }) =>
    unwrap(
      client.POST("/api/training/runs/{id}/promote", {
        params: { path: { id } },
        body: { insist },
      }),
    ),
  );
const goBack = (id: string) =>
  unwrap(client.POST("/api/training/runs/{id}/rollback", { params: { path: { id } } }));
export const useGoBack = () => useChange(goBack);
/** Go back from the training in use as often as it takes until the base answers. */
export const useGoToBase = () =>
  useChange(async (id: string) => {
    for (let used: string | null = id; used !== null;) used = (await goBack(used)).run;
  });
export const useDeleteTraining = () =>
  useChange(
    (id: string) => unwrap(client.DELETE("/api/training/runs/{id}", { params: { path: { id } } })),
    (id) => id,
  );
export type MergedKind = Training["merged"][number]["kind"];
/** Write base and training as one model; the job is shown with the training. */
export const useMerge = () =>
  useChange(({ id, kind }: { id: string; kind: MergedKind }) =>
    unwrap(
      client.POST("/api/training/runs/{id}/merged", { params: { path: { id } }, body: { kind } }),
    ),
  );
export const useRemoveMerged = () =>
  useChange(({ id, kind }: { id: string; kind: MergedKind }) =>
    unwrap(
      client.DELETE("/api/training/runs/{id}/merged/{kind}", { params: { path: { id, kind } } }),
    ),
  );
/** Where a whole model is handed out. */
export const mergedHref = (id: string, kind: MergedKind): string =>
  `/api/training/runs/${encodeURIComponent(id)}/merged/${kind}`;
export const useChangeRows = () =>
  useChange(({ id, change }: { id: string; change: RowsChange }) =>
    unwrap(
      client.PATCH("/api/training/runs/{id}/rows", { params: { path: { id } }, body: change }),
    ),
  );

export const useChangePairs = () =>
  useChange(({ id, change }: { id: string; change: PairsChange }) =>
    unwrap(
      client.PATCH("/api/training/runs/{id}/pairs", { params: { path: { id } }, body: change }),
    ),
  );

/** Ask the weights of a training, or the base where `run` is empty. */
export const askWeights = (question: string, run: string, retrieval: boolean) =>
  unwrap(
    client.POST("/api/training/ask", {
      body: { question, retrieval, ...(run === "" ? {} : { run }) },
    }),
  );
