import type { NextConfig } from "next";

/** A static export: the node hands the files out itself, so there is no Node.js at run time. */
const config: NextConfig = {
  output: "export",
  reactStrictMode: true,
  poweredByHeader: false,
  images: { unoptimized: true },
  devIndicators: false,
};

export default config;
