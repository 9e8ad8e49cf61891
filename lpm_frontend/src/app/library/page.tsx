"use client";
import { useSearchParams } from "next/navigation";
import { Library } from "@/features/library/library";
import { Reader } from "@/features/source/reader";

/** `/library?id=` opens a document; `&start=&end=` marks a place in it, in code points. */
export default function LibraryPage() {
  const search = useSearchParams();
  const start = Number(search.get("start") ?? 0);
  const end = Number(search.get("end") ?? 0);
  return (
    <Library
      id={search.get("id") ?? ""}
      reader={(document, onClose) => (
        <Reader place={{ document, start, end }} onClose={onClose} inLibrary />
      )}
    />
  );
}
