// @module-tag all/browser
import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import { grow } from "../../lab/bench/page/grow.ts";
import { openInTest } from "../support/engine.ts";
import { CARD } from "../support/library.ts";
import { hasChromium, openApp, type SharedPage, usePage } from "./harness.ts";

const LOAN = "How long is the loan period of an atlas?";
/** Milliseconds after which the browser no longer attributes a layout shift to a key press. */
const AFTER_KEY_MS = 700;
const TURNS = 120;

let shared: SharedPage;
let page: Page;
let complaints: string[];

describe.skipIf(!hasChromium)("long and slow conversations", () => {
  shared = usePage();
  beforeEach(async () => {
    const { engine } = await openInTest();
    ({ page, complaints } = await openApp(shared, { engine }, { viewport: { width: 390, height: 844 } }));
  });

  it("keeps the layout stable when other parts of the document load late, on a phone", async () => {
    await page.route("**/v1/documents/**", async (route) => {
      await page.waitForTimeout(AFTER_KEY_MS);
      await route.continue();
    });
    await ask(CARD);
    await page.locator(".source").first().waitFor();
    const before = await tops();
    await page.locator(".follow-ups").waitFor();
    expect(before.length).toBeGreaterThan(3);
    expect(await tops()).toEqual(before);
    expect(complaints).toEqual([]);
  });

  it("renders every part before printing, with one layout for all", async () => {
    await ask(LOAN);
    await page.locator(".answer-rows").waitFor();
    await page.evaluate(grow, TURNS);
    await page.reload();
    await page.getByRole("article").last().waitFor();
    const session = await page.context().newCDPSession(page);
    await session.send("Performance.enable");
    const layouts = async () => {
      const { metrics } = await session.send("Performance.getMetrics");
      return metrics.find(({ name }) => name === "LayoutCount")?.value ?? 0;
    };
    expect(await page.getByRole("article").count()).toBeLessThan(TURNS / 2);
    const before = await layouts();
    const made = await page.evaluate(() => {
      window.dispatchEvent(new Event("beforeprint"));
      return document.querySelectorAll("article").length;
    });
    expect(made).toBe(TURNS);
    expect((await layouts()) - before).toBeLessThan(10);
    expect(await page.locator(".answer-rows").count()).toBe(TURNS);
    expect(complaints).toEqual([]);
  });
});

async function ask(question: string): Promise<void> {
  await page.getByLabel("Your question").fill(question);
  await page.keyboard.press("Enter");
  await page.locator('article[aria-busy="false"]').waitFor();
}

/** Returns the vertical positions of the parts of the answer and its sources. */
function tops(): Promise<number[]> {
  return page
    .locator(".turn-main > *, .source")
    .evaluateAll((elements) => elements.map((element) => element.getBoundingClientRect().top + window.scrollY));
}
