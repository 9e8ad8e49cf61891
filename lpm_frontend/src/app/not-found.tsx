"use client";
import Link from "next/link";
import { useText } from "@/lib/i18n";
import { Bar } from "@/ui/bar";
import { Empty } from "@/ui/faces";

export default function NotFound() {
  const text = useText();
  return (
    <>
      <Bar title={text.problem.lostTitle} />
      <div className="main">
        <Empty title={text.problem.lostTitle}>
          <p className="mute">{text.problem.lostDetail}</p>
          <Link className="link" href="/">
            {text.problem.lostHint}
          </Link>
        </Empty>
      </div>
    </>
  );
}
