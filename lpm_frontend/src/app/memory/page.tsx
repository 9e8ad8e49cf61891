"use client";
import { useSearchParams } from "next/navigation";
import { useMemo } from "react";
import { MemoryPlace } from "@/features/memory/memory";
import { wishOf } from "@/features/memory/wish";
import { Reader } from "@/features/source/reader";

/** `/memory?q=&kind=&about=&then=&id=`; with `keep=1` a statement is written at once. */
export default function MemoryPage() {
  const search = useSearchParams();
  const said = search.toString();
  const wish = useMemo(() => wishOf(new URLSearchParams(said)), [said]);
  return <MemoryPlace wish={wish} keep={search.get("keep") !== null} reader={(place, onClose) => <Reader place={place} onClose={onClose} />} />;
}
