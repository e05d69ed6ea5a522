import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type axe from "axe-core";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { build } from "vite";
import { afterAll, beforeAll, vi } from "vitest";

declare global {
  interface Window {
    /** Put there by `violations`. */
    readonly axe: typeof axe;
  }
}

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
export const hasChromium = existsSync(CHROMIUM);
if (!hasChromium) process.stderr.write(`Browser tests skipped: no Chromium at ${CHROMIUM} (set CHROMIUM or install it).\n`);

/** Milliseconds for the page to be built and the browser to start, on a machine that is busy. */
const START_MS = 240_000;

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const WIDTHS = [1280, 390] as const;
const SCHEMES = ["light", "dark"] as const;

/** Builds the page as it is shipped, into a folder of its own. */
async function buildPage(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "sourcebound-rooms-"));
  const root = fileURLToPath(new URL("../../web", import.meta.url));
  // Under another name React brings what helps its developers.
  vi.stubEnv("NODE_ENV", "production");
  await build({ configFile: join(root, "vite.config.ts"), logLevel: "error", build: { outDir: folder } });
  vi.unstubAllEnvs();
  return folder;
}

const LAUNCH_ARGUMENTS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: LAUNCH_ARGUMENTS });
}

/** Opens an address; what the browser complains of is added to `complaints`. */
export async function openPage(browser: Browser, url: string, complaints: string[], options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ reducedMotion: "reduce", ...options });
  const opened = await context.newPage();
  opened.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  opened.on("pageerror", (error) => complaints.push(error.message));
  await opened.goto(url);
  return opened;
}

/** What axe objects to, of any level, at both widths, light and dark. */
export async function objections(page: Page, state: string): Promise<string[]> {
  const found: string[] = [];
  for (const width of WIDTHS) {
    for (const colorScheme of SCHEMES) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      found.push(...(await violations(page)).map((one) => `${state} ${width} ${colorScheme}: ${one}`));
    }
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  return found;
}

/** The policy of the page lets no script in: it is given through the debugger. */
async function violations(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  await session.send("Runtime.evaluate", { expression: AXE });
  await session.detach();
  return page.evaluate(async () => {
    const { violations: found } = await window.axe.run(document, { resultTypes: ["violations"] });
    return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`);
  });
}

export interface SharedPage {
  readonly browser: Browser;
  /** Folder of the built page. */
  readonly webRoot: string;
}

/** The page as it is shipped and a browser, for all tests of a file; made before the first and gone after the last. */
export function usePage(): SharedPage {
  const made: { browser: Browser | null; webRoot: string } = { browser: null, webRoot: "" };
  beforeAll(async () => {
    made.webRoot = await buildPage();
    made.browser = await launchBrowser();
  }, START_MS);
  afterAll(async () => {
    await made.browser?.close();
    if (made.webRoot !== "") rmSync(made.webRoot, { recursive: true, force: true });
  });
  return {
    get browser() {
      if (made.browser === null) throw new Error("the browser starts before the first test");
      return made.browser;
    },
    get webRoot() {
      return made.webRoot;
    },
  };
}
