// Takes the screenshots in docs/images from a running demo:
// SOURCEBOUND_ADMIN_TOKEN=TOKEN SOURCEBOUND_DATA_DIR=EMPTY_FOLDER ./run demo
// node scripts/pictures.mjs http://127.0.0.1:8787 TOKEN
// It asks the demo some questions and starts a golden run if there is none. Inspect each screenshot before committing it.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const [url, token] = process.argv.slice(2);
if (url === undefined || token === undefined) {
  process.stderr.write("usage: node scripts/pictures.mjs URL ADMIN_TOKEN\n");
  process.exit(2);
}

const FOLDER = fileURLToPath(new URL("../docs/images/", import.meta.url));
/** WebP quality out of 100: letters stay sharp, and each screenshot stays below 80 kB. */
const QUALITY = 70;
/** Milliseconds for the page to render loaded content. */
const DRAWN_MS = 800;
/** Milliseconds for a golden run of about fifty questions. */
const RUN_MS = 600_000;
const ANSWERED = ["What is the rating for sleep apnea that requires a CPAP machine?", "How much is the burial allowance?"];
const REFUSED = "May I park a camel at the clinic?";
const WIDE = { name: "1280-light", width: 1_280, height: 900, colorScheme: "light" };
const PHONE = { name: "390-dark", width: 390, height: 844, colorScheme: "dark" };

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
try {
  await ask(WIDE);
  await ask(PHONE);
  await rooms();
} finally {
  await browser.close();
}

/** Opens the page at a size, in light or dark colours, with a function that takes a screenshot. */
async function open({ name, width, height, colorScheme }) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme, reducedMotion: "reduce" });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await page.goto(url);
  const keep = async (what) => {
    // Moves the pointer away, so that it highlights nothing.
    await page.mouse.move(0, 0);
    await page.waitForTimeout(DRAWN_MS);
    const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: QUALITY });
    writeFileSync(`${FOLDER}${what}-${name}.webp`, Buffer.from(data, "base64"));
    process.stderr.write(`${what}-${name}\n`);
  };
  return { page, keep, close: () => context.close() };
}

async function send(page, question) {
  const before = await page.getByRole("article").count();
  await page.getByLabel("Your question").fill(question);
  await page.keyboard.press("Enter");
  await page.locator(`article:nth-of-type(${before + 1})[aria-busy="false"]`).waitFor();
}

/** Takes an answer with an open quote, and a refusal; on the wide page also the explanation, the document and the sign-in dialog. */
async function ask(size) {
  const { page, keep, close } = await open(size);
  if (size === WIDE) {
    await page.getByRole("button", { name: "Options" }).click();
    await page.getByLabel("Key", { exact: true }).waitFor();
    await keep("sign-in");
    await page.keyboard.press("Escape");
  }
  await send(page, ANSWERED[0]);
  const source = page.getByRole("button", { name: /^Source 1: / });
  if (size === WIDE) await source.click();
  await keep("ask");
  if (size === WIDE) {
    await page.getByRole("button", { name: "Whole document" }).click();
    await page.locator("mark.is-place").first().waitFor();
    await keep("reader");
    await page.getByRole("link", { name: "Why this answer" }).click();
    await page.getByRole("tab", { name: "Path" }).waitFor();
    await keep("why");
    await page.getByRole("button", { name: "Close" }).click();
  }
  await page.getByRole("button", { name: "New conversation" }).click();
  await send(page, REFUSED);
  await keep("refusal");
  await close();
}

async function rooms() {
  const { page, keep, close } = await open(WIDE);
  await page.getByRole("button", { name: "Options" }).click();
  await page.getByLabel("Key", { exact: true }).fill(token);
  await page.getByRole("dialog").getByRole("button", { name: "Sign in" }).click();
  const room = async (name) => {
    await page.getByRole("link", { name, exact: true }).click();
    await page.getByRole("heading", { level: 1, name }).waitFor();
  };
  for (const question of [...ANSWERED, REFUSED]) await send(page, question);
  await room("Library");
  await page.getByRole("listitem").first().waitFor();
  await keep("library");
  await room("Review");
  await page.getByLabel("Show", { exact: true }).selectOption("waiting");
  await page.getByRole("region", { name: "Queue" }).getByRole("link").filter({ hasNotText: REFUSED }).first().click();
  await page.getByRole("button", { name: "Approve" }).waitFor();
  await keep("review");
  await room("Graph");
  await page.locator(".graph-drawing .node").first().waitFor({ state: "attached" });
  await keep("graph");
  await room("Monitor");
  await page.getByText("Time by stage").waitFor();
  await keep("monitor");
  await room("Evaluate");
  const runs = page.getByRole("region", { name: "Runs" }).getByRole("link");
  await page.waitForTimeout(DRAWN_MS);
  if ((await runs.count()) === 0) await page.getByRole("button", { name: /^Run the golden set/ }).click();
  await page.getByText("done", { exact: true }).first().waitFor({ timeout: RUN_MS });
  await runs.first().click();
  await page.getByRole("heading", { name: "Wrong answers by confidence threshold" }).waitFor();
  await keep("evaluate");
  await close();
}
