"use client";
import { useRouter, useSearchParams } from "next/navigation";
import { useEffect } from "react";
import { Library } from "@/features/library/library";
import { Reader } from "@/features/source/reader";
import { useDocument } from "@/lib/api/documents";

/**
 * `/library?id=` opens a document as it reads now; `&start=&end=` marks a place in it, in code
 * points, and opens the version that was cited, as `&version=` opens an older one.
 */
export default function LibraryPage() {
  const search = useSearchParams();
  const start = Number(search.get("start") ?? 0);
  const end = Number(search.get("end") ?? 0);
  const id = search.get("id") ?? "";
  const asIs = search.has("version") || search.has("start");
  const router = useRouter();
  const present = useDocument(asIs ? "" : id).data?.superseded_by ?? "";
  useEffect(() => {
    if (present !== "") router.replace(`/library?id=${encodeURIComponent(present)}`);
  }, [present, router]);
  return (
    <Library
      id={id}
      reader={(document, onClose) => (
        <Reader place={{ document, start, end }} onClose={onClose} inLibrary />
      )}
    />
  );
}
