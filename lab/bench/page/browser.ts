import { existsSync } from "node:fs";
import { type Browser, type CDPSession, chromium, type Page } from "playwright-core";
import { z } from "zod";
import { RequestError } from "../../../src/shared/errors.ts";

const ARGUMENTS = [
  ...["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"],
  ...["--disable-component-update", "--disable-sync"],
];

/** A browser page with recorded timings. */
export interface Watched {
  readonly page: Page;
  readonly cdp: CDPSession;
  /** Console errors and warnings. */
  readonly complaints: readonly string[];
  close(): Promise<void>;
}

/** Lists that grow while the page runs; `forget` clears them. */
export interface Recorded {
  /** End times of long tasks in milliseconds since navigation. */
  readonly longTasks: number[];
  readonly shifts: Shift[];
  /** Long animation frames: over 50 ms. */
  readonly longFrames: LongFrame[];
}

export interface Shift {
  /** Milliseconds since navigation. */
  readonly at: number;
  readonly value: number;
  /** The elements that moved. */
  readonly sources: readonly string[];
}

export interface LongFrame {
  readonly ms: number;
  /** Milliseconds until style and layout began, which is script time. */
  readonly scriptMs: number;
}

export async function launch(executablePath: string, more: readonly string[] = []): Promise<Browser> {
  if (!existsSync(executablePath))
    throw new RequestError("chromium_missing", `There is no Chromium at ${executablePath}: install it, or name one with --chromium FILE.`);
  return chromium.launch({ executablePath, args: [...ARGUMENTS, ...more] });
}

export async function watch(
  browser: Browser,
  { width, height = 900, key }: { readonly width: number; readonly height?: number; readonly key?: string },
): Promise<Watched> {
  const context = await browser.newContext({
    viewport: { width, height },
    ...(key === undefined ? {} : { extraHTTPHeaders: { authorization: `Bearer ${key}` } }),
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.addInitScript(record);
  return { page, cdp: await context.newCDPSession(page), complaints, close: () => context.close() };
}

/** Returns the entries recorded since navigation or the last `forget`. */
export function recorded(page: Page): Promise<Recorded> {
  return page.evaluate(() => window.recorded);
}

export async function forget(page: Page): Promise<void> {
  await page.evaluate(() => {
    const { shifts, longFrames, longTasks } = window.recorded;
    for (const list of [shifts, longFrames, longTasks]) list.length = 0;
  });
}

/** Runs in the page before its own scripts. */
function record(): void {
  const kept: Recorded = { longTasks: [], shifts: [], longFrames: [] };
  window.recorded = kept;
  const observe = (type: string, take: (entry: PerformanceEntry) => void) =>
    new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true });
  observe("longtask", ({ startTime, duration }) => kept.longTasks.push(startTime + duration));
  observe("long-animation-frame", (entry) => {
    if (!(entry instanceof PerformanceLongAnimationFrameTiming)) return;
    const { startTime, duration, styleAndLayoutStart } = entry;
    kept.longFrames.push({ ms: duration, scriptMs: styleAndLayoutStart === 0 ? duration : styleAndLayoutStart - startTime });
  });
  observe("layout-shift", (entry) => {
    if (!(entry instanceof LayoutShift) || entry.hadRecentInput) return;
    const sources = entry.sources.map(({ node }) =>
      node instanceof Element ? `${node.tagName.toLowerCase()}.${node.className}` : (node?.nodeName ?? ""),
    );
    kept.shifts.push({ at: entry.startTime, value: entry.value, sources });
  });
}

const traceSchema = z.object({
  traceEvents: z.array(
    z.object({
      ...{ name: z.string(), ph: z.string(), pid: z.number(), tid: z.number() },
      tdur: z.number().optional(),
      args: z.object({ name: z.string().optional() }).optional(),
    }),
  ),
});
/** Name of a thread's task in the browser's trace. */
const TASK = "RunTask";

/** Traces the page's main thread; the returned function ends it and returns the processor time of tasks over 50 ms, in milliseconds. */
export async function busyTasks(page: Page): Promise<() => Promise<number[]>> {
  const browser = page.context().browser();
  if (browser === null) throw new Error("the page belongs to a browser");
  await browser.startTracing(page, { categories: ["disabled-by-default-devtools.timeline", "__metadata"] });
  return async () => {
    const { traceEvents } = traceSchema.parse(JSON.parse((await browser.stopTracing()).toString("utf8")));
    const threads = new Set(
      traceEvents.flatMap(({ name, args, pid, tid }) =>
        name === "thread_name" && args?.name === "CrRendererMain" ? [`${pid} ${tid}`] : [],
      ),
    );
    return traceEvents.flatMap(({ name, pid, tid, tdur }) =>
      name === TASK && threads.has(`${pid} ${tid}`) && tdur !== undefined && tdur > 50_000 ? [tdur / 1_000] : [],
    );
  };
}

/** Computes the cumulative layout shift as web-vitals defines it: the worst session window, with gaps up to 1 s and a length up to 5 s. */
export function cumulativeShift(shifts: readonly Shift[]): number {
  let [worst, sum, begun, last] = [0, 0, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { at, value } of shifts) {
    if (at - last > 1_000 || at - begun > 5_000) [sum, begun] = [0, at];
    sum += value;
    last = at;
    worst = Math.max(worst, sum);
  }
  return worst;
}
