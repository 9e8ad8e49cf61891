"use client";
import { LookTools } from "@/features/frame/frame";
import { Welcome } from "@/features/welcome/welcome";
import { passBy } from "../shell";

export default function WelcomePage() {
  return <Welcome tools={<LookTools />} onGo={passBy} />;
}
