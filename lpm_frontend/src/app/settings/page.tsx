"use client";
import { KeyRows } from "@/features/frame/key-list";
import { SettingsPlace } from "@/features/settings/settings";

export default function SettingsPage() {
  return <SettingsPlace keyTable={<KeyRows />} />;
}
