import { setTimeout as wait } from "node:timers/promises";
import type { Browser, CDPSession, Page } from "playwright-core";
import { busyTasks, cumulativeShift, forget, type LongFrame, recorded, type Shift, watch } from "./browser.ts";
import { grow } from "./grow.ts";
import { plainPage } from "./plain.ts";
import type { ServedPage } from "./served.ts";

/** CPU throttling factor that approximates an ordinary phone. */
const SLOWDOWN = 4;
/** Milliseconds without a long task after which the page is idle. */
const REST_MS = 2_500;
/** Timeout for the first content and interval between checks, in milliseconds. */
const SHOWN_MS = 30_000;
const LOOK_MS = 50;
/** Pixels per wheel event, and milliseconds between events. */
const WHEEL = { px: 900, ms: 40 } as const;

export interface FirstLoad {
  /** Transferred bytes of script. */
  readonly scriptBytes: number;
  /** Milliseconds from navigation until the examples are visible and no long task runs any more. */
  readonly interactiveMs: number;
  readonly shift: number;
}

/** Measures a first visit at a quarter of the machine's speed. */
export function measureFirstLoad(browser: Browser, { url }: Pick<ServedPage, "url">): Promise<FirstLoad> {
  return measureLoad(browser, url, ".examples button");
}

/** Measures a page of 50 plain paragraphs without resources, for comparison. */
export function measurePlainLoad(browser: Browser): Promise<FirstLoad> {
  return measureLoad(browser, plainPage(50), "p:last-child");
}

/** @param shown selector of an element that appears once the page is usable */
async function measureLoad(browser: Browser, url: string, shown: string): Promise<FirstLoad> {
  const { page, cdp, close } = await watch(browser, { width: 1_280 });
  try {
    let scriptBytes = 0;
    const scripts = new Set<string>();
    await cdp.send("Network.enable");
    cdp.on("Network.responseReceived", ({ requestId, type }) => {
      if (type === "Script") scripts.add(requestId);
    });
    cdp.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
      if (scripts.has(requestId)) scriptBytes += encodedDataLength;
    });
    await cdp.send("Emulation.setCPUThrottlingRate", { rate: SLOWDOWN });
    await page.addInitScript((selector) => {
      const look = () => {
        if (document.querySelector(selector) !== null) window.shownAt = performance.now();
        else requestAnimationFrame(look);
      };
      look();
    }, shown);
    await page.goto(url);
    await untilShown(cdp);
    await page.waitForTimeout(REST_MS);
    const { longTasks, shifts } = await recorded(page);
    const shownAt = await page.evaluate(() => window.shownAt);
    return { scriptBytes, interactiveMs: Math.max(shownAt, ...longTasks), shift: cumulativeShift(shifts) };
  } finally {
    await close();
  }
}

/** Polls a single number: a locator would take a tenth of a second at this speed and disturb the measurement. */
async function untilShown(cdp: CDPSession): Promise<void> {
  const deadline = performance.now() + SHOWN_MS;
  while (performance.now() < deadline) {
    const { result } = await cdp.send("Runtime.evaluate", { expression: "window.shownAt", returnByValue: true });
    if (typeof result.value === "number") return;
    await wait(LOOK_MS);
  }
  throw new Error(`the page shows nothing to begin with after ${SHOWN_MS / 1_000} s`);
}

export interface Streamed {
  readonly question: string;
  readonly width: number;
  readonly sentences: number;
  readonly shift: number;
  readonly shifts: readonly Shift[];
}

/** Measures layout shifts while answers stream, one question after the other. */
export async function measureStream(browser: Browser, url: string, width: number, questions: readonly string[]): Promise<Streamed[]> {
  const { page, close } = await watch(browser, { width, height: width < 600 ? 844 : 900 });
  try {
    await page.goto(url);
    await page.locator(".examples button").first().waitFor();
    const found: Streamed[] = [];
    for (const question of questions) {
      await forget(page);
      const sentences = await ask(page, question);
      await page.waitForTimeout(700);
      const { shifts } = await recorded(page);
      found.push({ question, width, sentences, shift: cumulativeShift(shifts), shifts });
    }
    return found;
  } finally {
    await close();
  }
}

export interface Scrolled {
  readonly frames: number;
  /** Longest time between two frames in milliseconds. */
  readonly longestMs: number;
  /** Frames over 50 ms, as the browser reports them. */
  readonly longFrames: readonly LongFrame[];
  /** Processor time of page tasks over 50 ms, in milliseconds; other load on the machine does not count. */
  readonly busyTasks: readonly number[];
}

/** Scrolls through a conversation of `messages` messages. */
export async function measureConversation(browser: Browser, url: string, messages: number, question: string): Promise<Scrolled> {
  const { page, close } = await watch(browser, { width: 1_280 });
  try {
    await page.goto(url);
    mustBeAnswered(question, await ask(page, question));
    await page.waitForTimeout(500);
    await page.evaluate(grow, messages / 2);
    await page.reload();
    await page.getByRole("article").last().waitFor();
    await page.waitForTimeout(REST_MS);
    return await scroll(page, () => document.documentElement);
  } finally {
    await close();
  }
}

/** Scrolls through a page of plain text, as a baseline for long frames caused by the machine. */
export async function measurePlain(browser: Browser, paragraphs: number): Promise<Scrolled> {
  const { page, close } = await watch(browser, { width: 1_280 });
  try {
    await page.goto(plainPage(paragraphs));
    return await scroll(page, () => document.documentElement);
  } finally {
    await close();
  }
}

/** Scrolls through a book, by wheel and by jumps. */
export async function measureBook(browser: Browser, { url, book }: ServedPage): Promise<Scrolled> {
  const { page, close } = await watch(browser, { width: 1_280 });
  try {
    await page.goto(`${url}/#/read/${encodeURIComponent(book)}`);
    await page.locator(".text-section").first().waitFor();
    await page.waitForTimeout(REST_MS);
    return await scroll(page, () => document.querySelector(".pane") ?? document.documentElement);
  } finally {
    await close();
  }
}

export interface Drawn {
  /** Milliseconds from each action until the drawing is complete. */
  readonly ms: Readonly<Record<string, number>>;
  readonly longFrames: readonly LongFrame[];
}

/** Draws a large graph: its largest part, a filtered part, and the neighbourhood of one node. */
export async function measureGraph(browser: Browser, { url, adminToken }: ServedPage): Promise<Drawn> {
  const { page, close } = await watch(browser, { width: 1_280, key: adminToken });
  try {
    const ms: Record<string, number> = {};
    const list = page.getByRole("region", { name: "Nodes that are shown" });
    const step = async (name: string, act: () => Promise<unknown>, stands: () => Promise<unknown>) => {
      const begun = performance.now();
      await act();
      await stands();
      ms[name] = performance.now() - begun;
      await page.waitForTimeout(500);
    };
    const drawn = (count: number) => () =>
      page
        .locator(".graph-drawing .node")
        .nth(count - 1)
        .waitFor({ state: "attached" });
    await step("opened with 80", () => page.goto(`${url}/#/graph`), drawn(80));
    await forget(page);
    await step("240 shown", () => page.getByLabel("Shown at most").selectOption("240"), drawn(240));
    await step(
      "narrowed to a word",
      () => page.getByLabel("Name holds").fill("lamp 13"),
      () => list.getByRole("button", { name: /^13/ }).first().waitFor(),
    );
    await step(
      "around one node",
      () => list.getByRole("button", { name: /^13/ }).first().click(),
      () => page.getByRole("button", { name: "Show all again" }).waitFor(),
    );
    const { longFrames } = await recorded(page);
    return { ms, longFrames };
  } finally {
    await close();
  }
}

/** Throws if a benchmark question is refused, because the benchmark would then measure nothing. */
export function mustBeAnswered(question: string, sentences: number): void {
  if (sentences === 0) throw new Error(`"${question}" is not answered any more: give the bench another question of the demo documents`);
}

/** Asks a question and returns the number of lines with a citation: one per sentence, list item or table row of the answer. */
async function ask(page: Page, question: string): Promise<number> {
  const before = await page.getByRole("article").count();
  await page.getByLabel("Your question").fill(question);
  await page.keyboard.press("Enter");
  await page.locator(`article:nth-of-type(${before + 1})[aria-busy="false"]`).waitFor();
  return page.getByRole("article").last().locator(".answer .sentence:has(.citation)").count();
}

/** Scrolls by wheel up and down, by jumps and slowly, and records every frame. */
async function scroll(page: Page, root: () => Element): Promise<Scrolled> {
  const ended = await busyTasks(page);
  await forget(page);
  await page.evaluate(() => {
    const frames: number[] = [];
    window.frameTimes = frames;
    let last = performance.now();
    const next = (now: number) => {
      frames.push(now - last);
      last = now;
      requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  });
  const box = await page.evaluateHandle(root);
  const { x, y } = await box.evaluate((element) => {
    const { left, width } = element.getBoundingClientRect();
    return { x: left + width / 2, y: 400 };
  });
  await page.mouse.move(x, y);
  const wheel = async (direction: number, turns: number) => {
    for (let i = 0; i < turns; i++) {
      await page.mouse.wheel(0, direction * WHEEL.px);
      await page.waitForTimeout(WHEEL.ms);
    }
  };
  await wheel(-1, 60);
  await wheel(1, 60);
  for (const part of [0, 0.5, 1, 0.25, 0.75, 0]) {
    await box.evaluate((element, share) => element.scrollTo({ top: element.scrollHeight * share, behavior: "instant" }), part);
    await page.waitForTimeout(150);
    await wheel(part < 0.5 ? 1 : -1, 15);
  }
  const { longFrames } = await recorded(page);
  const frames = await page.evaluate(() => window.frameTimes);
  return { frames: frames.length, longestMs: Math.max(0, ...frames), longFrames, busyTasks: await ended() };
}
