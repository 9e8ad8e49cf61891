import type { Metadata, Viewport } from "next";
import type { ReactNode } from "react";
import { preload } from "react-dom";
import "./styles.css";
import { BOOT_SCRIPT } from "@/lib/prefs";
import { Shell } from "./shell";

export const metadata: Metadata = {
  title: "Second Me",
  applicationName: "Second Me",
  description: "Your second self, on your own machine.",
  manifest: "/manifest.webmanifest",
  icons: {
    icon: [{ url: "/icon.svg", type: "image/svg+xml" }],
    apple: [{ url: "/apple-touch-icon.png", sizes: "180x180" }],
  },
  appleWebApp: { capable: true, title: "Second Me", statusBarStyle: "default" },
  referrer: "no-referrer",
  robots: { index: false, follow: false },
  formatDetection: { telephone: false, date: false, address: false, email: false },
};

export const viewport: Viewport = {
  width: "device-width",
  initialScale: 1,
  viewportFit: "cover",
  themeColor: [
    { media: "(prefers-color-scheme: light)", color: "#F4EFE5" },
    { media: "(prefers-color-scheme: dark)", color: "#12110D" },
  ],
};

/**
 * The boot script sets language and light on the root element before first paint, so the two never
 * flash.
 */
export default function RootLayout({ children }: { children: ReactNode }) {
  for (const face of ["instrument-sans-latin-wght-normal", "newsreader-latin-standard-normal"]) {
    preload(`/fonts/${face}.woff2`, { as: "font", type: "font/woff2", crossOrigin: "anonymous" });
  }
  return (
    <html lang="en" data-theme="light" suppressHydrationWarning>
      <head>
        <script dangerouslySetInnerHTML={{ __html: BOOT_SCRIPT }} />
        <link rel="stylesheet" href="/fonts/latin.css" />
      </head>
      <body>
        <Shell>{children}</Shell>
      </body>
    </html>
  );
}
