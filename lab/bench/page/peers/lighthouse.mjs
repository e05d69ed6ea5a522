import lighthouse, { desktopConfig } from "lighthouse";

/** Runs Lighthouse on a URL in a browser with a debugging port, and returns its result. */
export async function run(url, port, form) {
  const found = await lighthouse(url, { port, output: "json", logLevel: "error" }, form === "desktop" ? desktopConfig : undefined);
  return found.lhr;
}
