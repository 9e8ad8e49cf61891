"use client";
import dynamic from "next/dynamic";
import { useSearchParams } from "next/navigation";

const Tables = dynamic(() => import("@/features/table/tables").then((module) => module.Tables), {
  ssr: false,
});
const OneTable = dynamic(() => import("@/features/table/table").then((module) => module.OneTable), {
  ssr: false,
});

/** `/table` all of them and a new one, `/table?id=` one of them. */
export default function TablePage() {
  const id = useSearchParams().get("id") ?? "";
  return id === "" ? <Tables /> : <OneTable key={id} id={id} />;
}
