import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { PACKAGE_ROOT } from "../../../src/internals.ts";
import { launch } from "./browser.ts";

/** Command that installs Lighthouse (176 MB); the main install does not include it. */
export const LIGHTHOUSE_COMMAND = "npm ci --prefix lab/bench/page/peers --ignore-scripts";

const FOLDER = join(PACKAGE_ROOT, "lab", "bench", "page", "peers");
/** Local debugging port of the browser, for Lighthouse. */
const DEBUGGING_PORT = 9_339;
const AUDITS = [
  "first-contentful-paint",
  "largest-contentful-paint",
  "total-blocking-time",
  "cumulative-layout-shift",
  "speed-index",
] as const;

const audit = z.object({ displayValue: z.string().optional(), score: z.number().nullable(), title: z.string() });
const resultSchema = z.object({
  lighthouseVersion: z.string(),
  categories: z.record(z.string(), z.object({ score: z.number().nullable(), auditRefs: z.array(z.object({ id: z.string() })) })),
  audits: z.record(z.string(), audit),
});
const moduleSchema = z.object({
  run: z.custom<(url: string, port: number, form: string) => Promise<unknown>>((value) => typeof value === "function"),
});

export interface LighthouseScores {
  readonly version: string;
  /** Score in 0–1. */
  readonly categories: Readonly<Record<string, number | null>>;
  /** The figures behind the performance score. */
  readonly audits: readonly string[];
  /** Audits with a score below 0.9. */
  readonly faults: readonly string[];
}

/** Runs Lighthouse on the first view; `null` if it is not installed. */
export async function runLighthouse(url: string, chromium: string, form: "mobile" | "desktop"): Promise<LighthouseScores | null> {
  if (!existsSync(join(FOLDER, "node_modules", "lighthouse"))) return null;
  const { run } = moduleSchema.parse(await import(pathToFileURL(join(FOLDER, "lighthouse.mjs")).href));
  const browser = await launch(chromium, [`--remote-debugging-port=${DEBUGGING_PORT}`]);
  try {
    const { lighthouseVersion: version, categories, audits } = resultSchema.parse(await run(url, DEBUGGING_PORT, form));
    return {
      version,
      categories: Object.fromEntries(Object.entries(categories).map(([name, { score }]) => [name, score])),
      audits: AUDITS.map((name) => `${audits[name]?.title ?? name} ${(audits[name]?.displayValue ?? "–").replaceAll(" ", " ")}`),
      faults: Object.entries(audits).flatMap(([id, { score, title, displayValue }]) =>
        score !== null && score < 0.9 ? [`${id}: ${title}${displayValue === undefined ? "" : ` (${displayValue})`}`] : [],
      ),
    };
  } finally {
    await browser.close();
  }
}
