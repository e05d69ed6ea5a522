import lighthouse, { desktopConfig } from "lighthouse";

/** Lighthouse's own result for an address, in a browser that listens on a port. */
export async function run(url, port, form) {
  const found = await lighthouse(url, { port, output: "json", logLevel: "error" }, form === "desktop" ? desktopConfig : undefined);
  return found.lhr;
}
