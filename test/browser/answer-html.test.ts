import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sampleAnswer, sampleCitation } from "../../src/testing/answers.ts";
import { renderAnswerHtml } from "../../src/writing/render.ts";
import { hasHostileSet, readHostileTexts } from "../support/hostile-texts.ts";
import { eventsIn, hasChromium, launchBrowser } from "./harness.ts";

describe.skipIf(!hasChromium)(
  `answer_html in a browser${hasHostileSet ? "" : " (our own attacks only: SOURCEBOUND_DATA is not set)"}`,
  () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await launchBrowser();
    });
    afterAll(() => browser?.close());

    it("runs no script, sends no request and creates only known elements, whatever texts and addresses contain", async () => {
      const html = readHostileTexts().map((text) => {
        const citation = sampleCitation(1, { title: text, url: text, asOf: null, headingPath: [], path: "p", context: text }, text);
        return renderAnswerHtml(sampleAnswer({ question: "?", sentences: [{ text, citations: [1] }], citations: [citation] }));
      });
      const page = await browser.newPage();
      const happened = eventsIn(page);
      await page.setContent("<main></main>");
      happened.length = 0;
      const names = await page.evaluate((parts) => {
        const main = document.querySelector("main") as HTMLElement;
        main.innerHTML = parts.join("");
        return [...new Set([...main.querySelectorAll("*")].map((element) => element.localName))].sort();
      }, html);
      for (const key of ["Tab", "Enter"]) await page.keyboard.press(key);
      await page.mouse.move(50, 50);
      expect(names).toEqual(["a", "li", "ol", "p", "q", "sup"]);
      expect(happened).toEqual([]);
      await page.close();
    });
  },
);
