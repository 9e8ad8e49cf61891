"use client";
import { ExposurePlace } from "@/features/exposure/exposure";

export default function ExposurePage() {
  return <ExposurePlace />;
}
