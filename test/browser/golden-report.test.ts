// @module-tag all/browser
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCli } from "../support/cli.ts";
import { folderOfFile, writeIn } from "../support/folders.ts";
import { readHostileTexts } from "../support/hostile-texts.ts";
import { eventsIn, hasChromium, launchBrowser, objections, openPage } from "./harness.ts";

const RULES =
  "# Loans\n\nA book may be kept for 21 days.\n\n# Cards\n\nReplacing a lost card costs 5 dollars.\n\n# Hours\n\nThe reading room opens at nine.\n";
const QUESTIONS = [
  {
    id: "a1",
    question: "How long may a book be kept?",
    key_values: ["21 days"],
    gold_pages: ["rules.md"],
    gold_quotes: ["A book may be kept for 21 days."],
  },
  {
    id: "a2",
    question: "What does replacing a lost card cost?",
    key_values: ["7 dollars"],
    gold_pages: ["rules.md"],
    gold_quotes: ["The reading room opens at nine."],
  },
  { id: "u1", question: "Can I borrow a piano?", kind: "near_miss" },
];

describe.skipIf(!hasChromium)("the golden report in a browser", () => {
  let browser: Browser;
  const cwd = folderOfFile();
  beforeAll(async () => {
    writeIn(cwd, "manual/rules.md", RULES);
    // A user's file may contain this question: it must be displayed as text.
    const hostile = readHostileTexts()
      .filter((text) => text.trim() !== "" && text.length <= 400)
      .slice(0, 40)
      .map((question, i) => ({ id: `h${i}`, question, kind: "nonsense" }));
    writeFileSync(join(cwd, "questions.json"), JSON.stringify([...QUESTIONS, ...hostile]));
    const args = ["eval", "golden", "--corpus", "manual", "--golden", "questions.json", "--out", "results.json"];
    const first = await runCli(args, { cwd });
    expect([first.code, first.stderr]).toEqual([0, expect.any(String)]);
    const again = await runCli([...args.slice(0, -1), "again.json", "--against", "results.json", "--html", "results.html"], { cwd });
    expect([again.code, again.stderr]).toEqual([0, expect.any(String)]);
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  async function opened(width: number, colorScheme: "light" | "dark"): Promise<{ page: Page; happened: string[] }> {
    const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
    const address = pathToFileURL(join(cwd, "results.html")).href;
    const happened = eventsIn(page, (url) => url === address);
    page.on("console", (message) => happened.push(`console ${message.text()}`));
    await page.goto(address);
    return { page, happened };
  }

  it.each([
    [1280, "light"],
    [390, "dark"],
  ] as const)("is self-contained at %i pixels, %s: no request, no script, no horizontal overflow", async (width, scheme) => {
    const { page, happened } = await opened(width, scheme);
    await page.waitForTimeout(200);
    expect(happened).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBeLessThanOrEqual(0);
    expect(await page.locator("script").count()).toBe(0);
    expect(await page.locator("tr", { hasText: "right.answerable" }).innerText()).toContain("before");
    await page.close();
  });

  it("opens a question with answer, quote, gold and scores, also by keyboard, and filters by error", async () => {
    const { page } = await opened(1280, "light");
    const right = page.locator("details", { hasText: "How long may a book be kept?" });
    expect(await right.locator("q").first().isVisible()).toBe(false);
    await right.locator("summary").focus();
    await page.keyboard.press("Enter");
    expect(await right.locator("q").first().innerText()).toContain("21 days");
    expect(await right.innerText()).toContain("Expected answer");
    await page.locator(".filters label", { hasText: /wrong/i }).first().click();
    expect(await right.isVisible()).toBe(false);
    expect(await page.locator("details", { hasText: "What does replacing a lost card cost?" }).isVisible()).toBe(true);
    await page.close();
  });

  it("has no accessibility violations, at both widths, light and dark", async () => {
    const page = await openPage(browser, pathToFileURL(join(cwd, "results.html")).href, [], { bypassCSP: true });
    await page.locator("details summary").first().click();
    expect(await objections(page, "report")).toEqual([]);
    await page.context().close();
  });
});
