"use client";
import { Moon, Sun } from "lucide-react";
import { useText, useLanguage } from "@/lib/i18n";
import { keepPrefs, readPrefs, resolveTheme, type Prefs } from "@/lib/prefs";
import { IconButton } from "@/ui/button";

/** Language and light of a locked home: this browser keeps them, since the settings are sealed. */
export function LockedLook() {
  const text = useText();
  const other = useLanguage() === "ja" ? "en" : "ja";
  const dark = resolveTheme(readPrefs().theme) === "dark";
  const change = (what: Partial<Prefs>): void => {
    keepPrefs({ ...readPrefs(), ...what });
    window.location.reload();
  };
  return (
    <>
      <button type="button" className="ib" lang={other} onClick={() => change({ language: other })}>
        {other === "ja" ? text.frame.toJapanese : text.frame.toEnglish}
      </button>
      <IconButton
        icon={dark ? Sun : Moon}
        label={dark ? text.frame.themeLight : text.frame.themeDark}
        onClick={() => change({ theme: dark ? "light" : "dark" })}
      />
    </>
  );
}
