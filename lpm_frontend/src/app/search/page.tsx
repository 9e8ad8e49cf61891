"use client";
import { useSearchParams } from "next/navigation";
import { useMemo } from "react";
import { SearchPlace } from "@/features/search/search";
import { Reader } from "@/features/source/reader";

/** `/search?q=&since=&until=` */
export default function SearchPage() {
  const search = useSearchParams();
  const query = search.get("q") ?? "";
  const since = search.get("since") ?? "";
  const until = search.get("until") ?? "";
  const wish = useMemo(() => ({ query, since, until }), [query, since, until]);
  return <SearchPlace key={`${query} ${since} ${until}`} wish={wish} reader={(place, onClose, onStep) => <Reader place={place} onClose={onClose} onStep={onStep} />} />;
}
