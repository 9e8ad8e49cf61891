"use client";
import dynamic from "next/dynamic";
import { useSearchParams } from "next/navigation";

const Cast = dynamic(() => import("@/features/roles/cast").then((module) => module.Cast), {
  ssr: false,
});
const Workbench = dynamic(
  () => import("@/features/roles/workbench").then((module) => module.Workbench),
  { ssr: false },
);

/**
 * `/roles` all of them, `/roles?id=` one to change, `/roles?new=` a new one, from this starter or
 * from nothing (`blank`).
 */
export default function RolesPage() {
  const search = useSearchParams();
  const id = search.get("id") ?? "";
  const begun = search.get("new") ?? "";
  return id === "" && begun === "" ? (
    <Cast />
  ) : (
    <Workbench key={`${id} ${begun}`} id={id} begun={begun} />
  );
}
