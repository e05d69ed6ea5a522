import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type axe from "axe-core";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { build } from "vite";
import { afterAll, beforeAll, onTestFinished, vi } from "vitest";
import { silentLog } from "../../src/server/access/guard.ts";
import { type AppOptions, createApp } from "../../src/server/app.ts";
import { type RunningServer, serve } from "../../src/server/serve.ts";
import { rounds } from "../support/trials.ts";

declare global {
  interface Window {
    /** Set by `violations`. */
    readonly axe: typeof axe;
  }
}

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
export const hasChromium = existsSync(CHROMIUM);
if (!hasChromium) process.stderr.write(`Browser tests skipped: no Chromium at ${CHROMIUM} (set CHROMIUM or install it).\n`);

/** Milliseconds for slow steps on a busy machine: building the page, starting the browser, drawing. */
const START_MS = 240_000;

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const LOOKS = [1280, 390].flatMap((width) => (["light", "dark"] as const).map((colorScheme) => ({ width, colorScheme })));
/** How often each state was checked: usually one combination of width and theme per state, in turn; with `--all` all four. */
let looked = 0;

/** Builds the page once for all files of a process, into a folder that is deleted with it. */
const shipped: { folder: Promise<string> | null } = { folder: null };
function builtPage(): Promise<string> {
  shipped.folder ??= buildPage();
  return shipped.folder;
}

async function buildPage(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "sourcebound-rooms-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const root = fileURLToPath(new URL("../../web", import.meta.url));
  // React includes its development code unless the mode is "production".
  vi.stubEnv("NODE_ENV", "production");
  await build({ configFile: join(root, "vite.config.ts"), logLevel: "error", build: { outDir: folder } });
  vi.unstubAllEnvs();
  return folder;
}

/** Records dialogs, script errors and foreign requests of a page, and dismisses its dialogs. */
export function eventsIn(page: Page, isOwn: (url: string) => boolean = () => false): string[] {
  const happened: string[] = [];
  page.on("dialog", async (dialog) => {
    happened.push(`dialog ${dialog.message()}`);
    await dialog.dismiss();
  });
  page.on("request", (request) => isOwn(request.url()) || happened.push(`request ${request.url()}`));
  page.on("pageerror", (error) => happened.push(`script ${error.message}`));
  return happened;
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

/** Opens an address and records the browser's errors in `complaints`. */
export async function openPage(browser: Browser, url: string, complaints: string[], options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ reducedMotion: "reduce", ...options });
  // On a busy machine the expected state may appear late; only its absence is a failure.
  context.setDefaultTimeout(START_MS);
  const opened = await context.newPage();
  opened.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  opened.on("pageerror", (error) => complaints.push(error.message));
  await opened.goto(url);
  return opened;
}

export interface OpenedApp {
  readonly server: RunningServer;
  readonly page: Page;
  readonly complaints: string[];
}

/** Serves the page and opens it; both are closed after the test. */
export async function openApp(
  { browser, webRoot }: SharedPage,
  parts: Pick<AppOptions, "engine"> & Partial<AppOptions>,
  options: BrowserContextOptions = {},
): Promise<OpenedApp> {
  const app = createApp({ log: silentLog, webRoot, ...parts });
  const server = await serve(app, { host: "127.0.0.1", port: 0, stop_grace_ms: 0 });
  onTestFinished(() => server.close());
  const complaints: string[] = [];
  const page = await openPage(browser, server.url, complaints, options);
  onTestFinished(() => page.context().close());
  return { server, page, complaints };
}

/** Opens the options, where a key is entered; without access, the button is labelled accordingly. */
export async function openOptions(page: Page): Promise<void> {
  await page.getByRole("button", { name: /^(?:Options|Sign in)$/ }).click();
  await page.getByRole("dialog").getByLabel("Colours").waitFor();
}

export async function enterKey(page: Page, key: string): Promise<void> {
  await openOptions(page);
  await page.getByLabel("Key", { exact: true }).fill(key);
  await page.getByRole("dialog").getByRole("button", { name: "Sign in" }).click();
}

/** Returns accessibility violations of any severity, at both widths, light and dark. */
export async function objections(page: Page, state: string): Promise<string[]> {
  const found: string[] = [];
  const next = LOOKS.slice(looked % LOOKS.length).slice(0, 1);
  looked++;
  for (const { width, colorScheme } of rounds({ all: LOOKS, usually: next })) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    found.push(...(await violations(page)).map((one) => `${state} ${width} ${colorScheme}: ${one}`));
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  return found;
}

/** Runs axe through the debugger, because the page's content security policy blocks injected scripts. */
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

/** Builds the page and starts a browser before the first test of a file, and closes it after the last. */
export function usePage(): SharedPage {
  const made: { browser: Browser | null; webRoot: string } = { browser: null, webRoot: "" };
  beforeAll(async () => {
    made.webRoot = await builtPage();
    made.browser = await launchBrowser();
  }, START_MS);
  afterAll(async () => {
    await made.browser?.close();
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
