// @module-tag all/browser
import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import type { FeedbackRequest } from "../../src/memory/memory.ts";
import type { RunningServer } from "../../src/server/serve.ts";
import { createFakeAskEngine, type FakeAskEngine } from "../../src/testing/fake-ask-engine.ts";
import { fakeRooms } from "./fake-rooms.ts";
import { hasChromium, openApp, type SharedPage, usePage } from "./harness.ts";
import { HOTLINE, playScenario, QUESTIONS, REVIEW_ANSWER, REVIEW_QUOTE } from "./scenario.ts";

let shared: SharedPage;
let server: RunningServer;
let engine: FakeAskEngine;
let page: Page;
let complaints: string[];
let ratings: FeedbackRequest[];

describe.skipIf(!hasChromium)("the page", () => {
  shared = usePage();

  beforeEach(async () => {
    engine = createFakeAskEngine(playScenario(120));
    ratings = [];
    const rate = (request: FeedbackRequest) => void ratings.push(request);
    ({ server, page, complaints } = await openApp(shared, { engine: { ...engine, ...fakeRooms({ rate }) } }));
    await page.getByText("28 documents").waitFor();
  });

  it("shows each sentence with its sources, and ends with a summary", async () => {
    expect(await page.getByRole("button", { name: "Ask", exact: true }).isDisabled()).toBe(true);
    await ask(QUESTIONS.answer);
    await page.getByText("Why this answer").waitFor();
    const shown = await page.locator(".sentence").allTextContents();
    // The last quote comes from another section, which its text does not mention.
    const labels = ["", "", "Deadlines "];
    expect(shown).toEqual(REVIEW_ANSWER.sentences.map(({ text, citations }, i) => `${labels[i]}${text}${citations.join("")}`));
    expect(await page.getByText("No encoder is configured").count()).toBe(0);
    expect(await page.locator(".source").count()).toBe(3);
    expect(complaints).toEqual([]);
  });

  it("opens the cited passage with the quote highlighted, in view and focused, and returns", async () => {
    await ask(QUESTIONS.answer);
    const citation = page.getByRole("button", { name: "Source 1: show the quote" });
    await page.getByText("Why this answer").waitFor();
    await citation.click();
    const mark = page.locator("mark");
    expect(await mark.textContent()).toBe(REVIEW_QUOTE);
    await expect.poll(() => isInView(page, "mark")).toBe(true);
    const passage = page.getByRole("region", { name: "Passage of source 1" });
    expect(await passage.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(await passage.textContent()).toBe(REVIEW_ANSWER.citations[0]?.context);
    const source = page.locator(".source.is-open");
    expect(await source.textContent()).toMatch(/higher-level-review\.md, characters 1,\d{3}–1,\d{3}/s);
    expect(await page.locator(".document-head").first().textContent()).toContain("As of January 15, 2026");
    expect(await source.getByRole("link").getAttribute("href")).toBe("https://www.va.gov/decision-reviews/higher-level-review/");
    expect(await page.locator(".sentence.is-active").count()).toBe(1);
    await page.keyboard.press("Escape");
    expect(await mark.count()).toBe(0);
    expect(await citation.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(complaints).toEqual([]);
  });

  it("shows a refusal with what was searched, what came nearest and whom to ask", async () => {
    await ask(QUESTIONS.refusal);
    const refusal = page.getByRole("region", { name: "Not answered" });
    await refusal.waitFor();
    const text = await refusal.textContent();
    for (const part of [
      ...["28 documents, 312 passages", "March 1, 2024 to January 15, 2026", "topics/transport.pdf", "1-800-827-1000"],
      ...["Travel pay – What is paid", "“camel”", "an amount of money", "Travel pay.md, characters 0–100", "settles nothing"],
    ])
      expect(text).toContain(part);
    expect(await refusal.getByRole("link", { name: "1-800-827-1000" }).getAttribute("href")).toBe("tel:18008271000");
    expect(complaints).toEqual([]);
  });

  it("marks text recognised by OCR at its sentence, source and passage", async () => {
    await ask(QUESTIONS.answer);
    await page.getByText("quoted word for word").waitFor();
    expect(await page.getByText("read by OCR, may be wrong").count()).toBe(0);
    await ask(QUESTIONS.scanned);
    const turn = page.getByRole("article").last();
    await turn.locator(".answer").getByText("read by OCR, may be wrong").waitFor();
    await turn.locator(".source").getByText("read by OCR, may be wrong").waitFor();
    await turn.getByRole("button", { name: /^Source 1: / }).click();
    await turn.getByText("letters and numbers may be wrong").waitFor();
    expect(complaints).toEqual([]);
  });

  it("explains confidence above all other content, on a phone too", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await ask(QUESTIONS.answer);
    const sure = page.getByRole("button", { name: "Sources match well" });
    await sure.waitFor();
    // The explanation opens below the button, over the question box, so the button is scrolled down to just above the box.
    await sure.evaluate((element) => window.scrollBy({ top: element.getBoundingClientRect().bottom - 580, behavior: "instant" }));
    await sure.click();
    const meaning = page.getByText("do not read it as a probability");
    await meaning.waitFor();
    const onTop = await meaning.evaluate((element) => {
      const { left, top, bottom, width } = element.getBoundingClientRect();
      return [top + 4, bottom - 4].every((y) => element.contains(document.elementFromPoint(left + width / 2, y)));
    });
    expect(onTop).toBe(true);
  });

  it("scrolls each new question into view, however long the conversation", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    const asked = [QUESTIONS.answer, QUESTIONS.conflict, QUESTIONS.answer, QUESTIONS.refusal];
    for (const [i, question] of asked.entries()) {
      await ask(question);
      const article = page.getByRole("article").nth(i);
      await expect.poll(() => article.getAttribute("aria-busy")).toBe("false");
      // Distant content is laid out some frames later.
      const isInUpperHalf = async () => {
        const top = (await article.getByRole("heading", { level: 2 }).boundingBox())?.y ?? Number.NaN;
        return top >= 0 && top < 844 / 2;
      };
      await expect.poll(isInUpperHalf, { message: `question ${i + 1}` }).toBe(true);
    }
  });

  it("keeps an interrupted question and its sentences after a reload or a closed window, and asks it again", async () => {
    await ask(QUESTIONS.slow);
    await page.locator(".sentence").waitFor();
    // The browser stores the conversation shortly after the sentence is displayed.
    await expect.poll(() => stored(page)).toEqual({ turns: 1, sentences: 1 });
    await page.reload();
    await page.getByRole("heading", { name: "Interrupted" }).waitFor();
    expect(await page.locator(".question").allTextContents()).toEqual([QUESTIONS.slow]);
    expect(await page.locator(".sentence").count()).toBe(1);
    expect(await page.getByText("You stopped this answer").count()).toBe(0);
    await page.getByRole("button", { name: "Ask again" }).click();
    await expect.poll(() => page.locator(".question").allTextContents()).toEqual([QUESTIONS.slow, QUESTIONS.slow]);
    await page.getByTestId("stage").waitFor();
    await expect.poll(async () => (await stored(page)).turns).toBe(2);
    const { context, url } = { context: page.context(), url: page.url() };
    await page.close();
    page = await context.newPage();
    await page.goto(url);
    await page.getByRole("button", { name: "History" }).click();
    await page.getByRole("button", { name: QUESTIONS.slow }).first().click();
    await expect.poll(() => page.getByRole("heading", { name: "Interrupted" }).count()).toBe(2);
    await page.getByRole("button", { name: "New conversation" }).click();
  });

  it("streams sentences and shows the stage; Stop keeps them and cancels the request", async () => {
    await ask(QUESTIONS.slow);
    await page.locator(".sentence").waitFor();
    await page.getByTestId("stage").waitFor();
    expect(await page.getByRole("article").getAttribute("aria-busy")).toBe("true");
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("incomplete answer").waitFor();
    expect(await page.locator(".sentence").count()).toBe(1);
    await expect.poll(() => engine.calls[0]?.signal.aborted).toBe(true);
    expect(await page.locator("#question").evaluate((element) => element === document.activeElement)).toBe(true);
    expect(complaints).toEqual([]);
  });

  it("keeps the sentences when the connection is lost, and reports the loss", async () => {
    await ask(QUESTIONS.cut);
    await expect.poll(() => page.locator(".sentence").count()).toBe(3);
    await server.close();
    await page.getByRole("heading", { name: "Connection lost incomplete answer" }).waitFor();
    expect(await page.locator(".sentence").count()).toBe(3);
    await page.getByRole("button", { name: "Ask again" }).click();
    await page.getByRole("heading", { name: "The server cannot be reached" }).waitFor();
  });

  it("sends an over-long question, so that an emergency gets its hotline, and keeps its text for editing", async () => {
    await ask(QUESTIONS.emergency);
    await page.getByRole("heading", { name: "The question was rejected" }).waitFor();
    const turn = page.getByRole("article");
    const text = (await turn.textContent()) ?? "";
    expect(text).toContain(HOTLINE);
    expect(text.indexOf(HOTLINE)).toBeLessThan(text.indexOf("I cannot go on."));
    expect(await page.getByText(HOTLINE).first().isVisible()).toBe(true);
    expect(await page.getByLabel("Your question").inputValue()).toBe(QUESTIONS.emergency);
  });

  it("continues the session, keeps earlier questions, and starts a new conversation", async () => {
    await ask(QUESTIONS.refusal);
    await page.getByRole("region", { name: "Not answered" }).waitFor();
    await ask(QUESTIONS.answer);
    await page.getByText("quoted word for word").waitFor();
    expect(engine.calls.map(({ request }) => request.session_id)).toEqual([undefined, "session-1"]);
    expect(await page.locator(".question").allTextContents()).toEqual([QUESTIONS.refusal, QUESTIONS.answer]);
    await page.getByRole("button", { name: "New conversation" }).click();
    expect(await page.getByRole("article").count()).toBe(0);
    await ask(QUESTIONS.refusal);
    await page.getByRole("region", { name: "Not answered" }).waitFor();
    expect(engine.calls.at(-1)?.request.session_id).toBeUndefined();
  });

  it.each([320, 768, 1440])("does not scroll sideways at %i px", async (width) => {
    await page.setViewportSize({ width, height: 800 });
    for (const question of [QUESTIONS.answer, QUESTIONS.refusal, QUESTIONS.conflict, QUESTIONS.hostile]) {
      await ask(question);
      const turn = page.getByRole("article").last();
      const citation = turn.locator(".citation").first();
      if ((await citation.count()) > 0) await citation.click();
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
  });

  it("takes a rating by keyboard, confirms it, and asks for a reason when it is negative", async () => {
    await ask(QUESTIONS.answer);
    const rating = page.getByRole("region", { name: "Actions of answer" });
    const [yes, no] = [rating.getByRole("button", { name: "Right" }), rating.getByRole("button", { name: "Wrong" })];
    await yes.focus();
    await page.keyboard.press("Enter");
    await rating.getByText("The answer was rated as correct.").waitFor();
    expect(await yes.getAttribute("aria-pressed")).toBe("true");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    await rating.getByText("Thank you. Your rating was saved for review.").waitFor();
    expect([await yes.getAttribute("aria-pressed"), await no.getAttribute("aria-pressed")]).toEqual(["false", "true"]);
    const field = rating.getByLabel("What is wrong? (optional)");
    await expect.poll(() => field.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(await rating.getByRole("button", { name: "Send" }).isDisabled()).toBe(true);
    await page.keyboard.type("The deadline is older.");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await rating.getByText("Your reason was saved for review.").waitFor();
    expect(await field.count()).toBe(0);
    expect(await no.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(ratings.map(({ id, verdict, reason, sessionId }) => [id, verdict, reason ?? null, sessionId])).toEqual([
      [REVIEW_ANSWER.id, "up", null, REVIEW_ANSWER.sessionId ?? undefined],
      [REVIEW_ANSWER.id, "down", null, REVIEW_ANSWER.sessionId ?? undefined],
      [REVIEW_ANSWER.id, "down", "The deadline is older.", REVIEW_ANSWER.sessionId ?? undefined],
    ]);
    expect(complaints).toEqual([]);
  });
});

/** Counts the turns and sentences that the browser has stored. */
function stored(target: Page): Promise<{ readonly turns: number; readonly sentences: number }> {
  return target.evaluate(async () => {
    const done = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    const db = await done(indexedDB.open("sourcebound"));
    const kept = await done(db.transaction("conversations").objectStore("conversations").getAll());
    db.close();
    const turns = kept.flatMap(({ conversation }) => conversation.turns);
    return { turns: turns.length, sentences: turns.flatMap(({ sentences }) => sentences).length };
  });
}

async function ask(question: string): Promise<void> {
  await page.getByLabel("Your question").fill(question);
  await page.keyboard.press("Enter");
}

function isInView(target: Page, selector: string): Promise<boolean> {
  return target.locator(selector).evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return top >= 0 && bottom <= window.innerHeight;
  });
}
