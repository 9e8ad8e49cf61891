"use client";
import { useSearchParams } from "next/navigation";
import { useMemo } from "react";
import { SearchPlace } from "@/features/search/search";
import { wishOf } from "@/features/search/wish";
import { Reader } from "@/features/source/reader";

/** `/search?q=&since=&until=&kind=&tag=&who=&folder=` */
export default function SearchPage() {
  const search = useSearchParams();
  const said = search.toString();
  const wish = useMemo(() => wishOf(new URLSearchParams(said)), [said]);
  return (
    <SearchPlace
      wish={wish}
      reader={(place, onClose, onStep) => (
        <Reader place={place} onClose={onClose} onStep={onStep} />
      )}
    />
  );
}
