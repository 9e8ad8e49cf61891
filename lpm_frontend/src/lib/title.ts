/** The name of the screen that is open: in the window's title, and in the bar of a phone. */
import { useEffect } from "react";

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === "" ? "Second Me" : `${title} · Second Me`;
  }, [title]);
}
