// @module-tag all/browser
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import type { RunningServer } from "../../src/server/serve.ts";
import type { Answer, StoredDocument } from "../../src/shared/types.ts";
import { eventsOf, sampleAnswer, sampleCitation } from "../../src/testing/answers.ts";
import { createFakeAskEngine, type FakeAskEngine } from "../../src/testing/fake-ask-engine.ts";
import { hasHostileSet, readHostileTexts } from "../support/hostile-texts.ts";
import { part } from "../support/trials.ts";
import { documentOf, fakeRooms } from "./fake-rooms.ts";
import { enterKey, eventsIn, hasChromium, objections, openApp, openOptions, type SharedPage, usePage } from "./harness.ts";
import { playScenario, QUESTIONS, REVIEW_ANSWER, REVIEW_QUOTE } from "./scenario.ts";

/** Maximum bytes of script, gzipped, that the first view may load. */
const FIRST_SCRIPT_BYTES = 100_000;

const [first] = REVIEW_ANSWER.citations;
const storedDocument = (before = "", version = first?.documentVersion ?? ""): StoredDocument =>
  documentOf({
    document: {
      id: first?.documentId ?? "",
      version,
      title: "Higher-Level Reviews",
      path: "topics/higher-level-review.md",
      context: first?.context ?? "",
    },
    before,
  });

let shared: SharedPage;
let server: RunningServer;
let engine: FakeAskEngine;
let page: Page;
let complaints: string[];
/** `null`: every id is that of an empty document. */
let documents: StoredDocument[] | null;
let answers: Answer[];

describe.skipIf(!hasChromium)("the views", () => {
  shared = usePage();
  beforeEach(async () => {
    documents = [storedDocument()];
    answers = [{ ...REVIEW_ANSWER, question: QUESTIONS.answer, citations: REVIEW_ANSWER.citations.slice(0, 1) }];
    engine = createFakeAskEngine(playScenario(0));
    await start();
  });

  it("load little script before the first question, all of it from their own server", async () => {
    const names = await page.evaluate(() =>
      performance
        .getEntriesByType("resource")
        .map(({ name }) => name)
        .filter((name) => name.endsWith(".js")),
    );
    const bytes = names.reduce((sum, name) => sum + gzipSync(readFileSync(join(shared.webRoot, new URL(name).pathname))).length, 0);
    expect(names.every((name) => name.startsWith(server.url))).toBe(true);
    expect(bytes).toBeGreaterThan(20_000);
    expect(bytes).toBeLessThan(FIRST_SCRIPT_BYTES);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("question");
  });

  it("have no accessibility violations in any state, at both widths, light and dark", async () => {
    const found: string[] = [];
    const look = async (state: string) => {
      found.push(...(await objections(page, state)));
    };
    await look("empty");
    for (const question of [QUESTIONS.answer, QUESTIONS.refusal, QUESTIONS.conflict, QUESTIONS.rejected]) await ask(question);
    await page.getByRole("heading", { name: "The question was rejected" }).waitFor();
    await page
      .getByRole("button", { name: /^Source 1: / })
      .first()
      .click();
    await look("conversation");
    await page.getByRole("button", { name: "Sources match well" }).first().click();
    await page.getByText("do not read it as a probability").first().waitFor();
    await look("confidence");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "History" }).click();
    await page.getByRole("dialog").waitFor();
    await look("history");
    await page.keyboard.press("Escape");
    await openOptions(page);
    await look("options");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Whole document" }).click();
    await page.locator("mark.is-place").first().waitFor();
    await look("reader");
    await page.getByRole("button", { name: "Close" }).click();
    await page.getByRole("link", { name: "Why this answer" }).first().click();
    for (const tab of ["Path", "Passages", "Checks", "Decision", "Model", "Record"]) {
      await page.getByRole("tab", { name: tab }).click();
      await look(`why: ${tab}`);
    }
    expect(found).toEqual([]);
    // The browser itself logs only the question that the server rejected.
    expect(complaints).toEqual(["Failed to load resource: the server responded with a status of 400 (Bad Request)"]);
  }, 600_000);

  it("keep a conversation over a reload, find it by its words, and delete it", async () => {
    await ask(QUESTIONS.answer);
    await page.getByText("quoted word for word").waitFor();
    await page.reload();
    await page.getByText("quoted word for word").waitFor();
    expect(await page.locator(".question").allTextContents()).toEqual([QUESTIONS.answer]);
    await page.getByRole("button", { name: "New conversation" }).click();
    await page.getByRole("button", { name: "History" }).click();
    const search = page.getByLabel("Search questions and answers");
    await search.fill("camel");
    await page.getByText("0 conversations").waitFor();
    await search.fill("CONTESTED review");
    await page
      .getByRole("button", { name: `${QUESTIONS.answer}`, exact: false })
      .first()
      .click();
    await page.getByText("quoted word for word").waitFor();
    await page.getByRole("button", { name: "History" }).click();
    const all = page.getByRole("button", { name: "Delete all from this browser" });
    await all.click();
    await expect.poll(() => page.getByRole("button", { name: "Keep" }).evaluate((one) => one === document.activeElement)).toBe(true);
    await page.keyboard.press("Escape");
    await expect.poll(() => all.evaluate((one) => one === document.activeElement)).toBe(true);
    await all.click();
    await page.getByRole("button", { name: "Permanently delete 1 conversation" }).click();
    await page.getByText("There are no conversations yet.").waitFor();
    await page.keyboard.press("Escape");
    await page.reload();
    await page.getByRole("heading", { name: "What would you like to know?" }).waitFor();
    expect(await page.getByRole("article").count()).toBe(0);
  });

  it("return the focus to the link that opened the side pane, however it is closed", async () => {
    await ask(QUESTIONS.answer);
    const why = page.getByRole("link", { name: "Why this answer" });
    for (const close of [
      () => page.keyboard.press("Escape"),
      () => page.locator(".pane-head").getByRole("button", { name: "Close" }).click(),
      () => page.goBack(),
    ]) {
      await why.focus();
      await page.keyboard.press("Enter");
      await page.getByRole("region", { name: "Why this answer" }).waitFor();
      await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe("H2");
      await close();
      await page.locator(".pane").waitFor({ state: "detached" });
      await expect.poll(() => why.evaluate((one) => one === document.activeElement)).toBe(true);
    }
  });

  it("explain how an answer was made, also after opening it by a link", async () => {
    await ask(QUESTIONS.answer);
    await page.getByRole("link", { name: "Why this answer" }).click();
    await page.locator(".timeline li").first().waitFor();
    expect(await page.locator(".timeline li").count()).toBe(8);
    expect(await page.locator(".pane .card strong").allTextContents()).toEqual(["pii_leakage"]);
    await page.getByRole("tab", { name: "Record" }).click();
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download the record" }).click();
    const record = JSON.parse(readFileSync(await (await download).path(), "utf8")) as { answer: { id: string }; stages: unknown[] };
    expect([record.answer.id, record.stages.length]).toEqual([REVIEW_ANSWER.id, 8]);
    await page.keyboard.press("Escape");
    await expect.poll(() => page.locator(".pane").count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it("open a shared answer, and say what to do when it is deleted", async () => {
    await page.goto(`${server.url}/#/answer/${REVIEW_ANSWER.id}`);
    await page.getByRole("main", { name: "Shared answer" }).getByText(REVIEW_QUOTE).first().waitFor();
    await page.getByRole("button", { name: "Edit question" }).click();
    await expect.poll(() => page.getByLabel("Your question").inputValue()).toBe(QUESTIONS.answer);
    await page.goto(`${server.url}/#/answer/${REVIEW_ANSWER.id}`);
    await page.getByRole("main", { name: "Shared answer" }).getByRole("button", { name: "More", exact: true }).click();
    await page.getByRole("button", { name: "More detail" }).click();
    await page.getByRole("main").getByText("more detail", { exact: true }).waitFor();
    expect(engine.calls.at(-1)?.request).toMatchObject({ question: QUESTIONS.answer, detail: "more" });
    await page.goto(`${server.url}/#/answer/other`);
    await page.getByRole("alert").getByText("Ask the question again").waitFor();
  });

  it("open the nearest passage of a refusal at its words", async () => {
    await ask(QUESTIONS.refusal);
    const place = page.getByRole("link", { name: "Show in the document" }).first();
    await place.waitFor();
    expect(await place.getAttribute("href")).toMatch(/^#\/read\/[^?]+\?version=[^&]+&(?:quote=[^&]+&)?domain=veterans$/);
    await place.click();
    await page.locator(".pane h2").waitFor();
  });

  it("ask about a selection alone, and show the answer on a phone, where the document covers the conversation", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await ask(QUESTIONS.answer);
    await page.getByRole("button", { name: /^Source 1: / }).click();
    await page.getByRole("button", { name: "Whole document" }).click();
    const mark = page.locator("mark.is-place").first();
    await mark.waitFor();
    expect((await page.locator("mark.is-place").allTextContents()).join("")).toBe(REVIEW_QUOTE);
    // The notes are above the text, not in a margin that narrows it.
    const note = await page.locator(".margin-notes").first().boundingBox();
    expect((note?.y ?? 0) + (note?.height ?? 0)).toBeLessThanOrEqual((await mark.boundingBox())?.y ?? 0);
    await mark.evaluate((element) => window.getSelection()?.selectAllChildren(element));
    await page.getByLabel(/^Ask about this selection/).fill("Which limit is that?");
    await page.getByRole("button", { name: "Ask about it" }).click();
    const place = { document_id: first?.documentId, start: first?.start, end: first?.end };
    await expect.poll(() => engine.calls.at(-1)?.request.selection).toEqual(place);
    const asked = page.getByRole("heading", { name: "Which limit is that?" });
    await asked.waitFor();
    await expect.poll(async () => (await asked.boundingBox())?.y ?? 9999).toBeLessThan(600);
    expect(complaints).toEqual([]);
  });

  it("open a document beside a long conversation without moving it", async () => {
    await ask(QUESTIONS.answer);
    await ask(QUESTIONS.conflict);
    await ask(QUESTIONS.answer);
    const article = page.getByRole("article").last();
    await article.getByRole("button", { name: /^Source 1: / }).click();
    const whole = article.getByRole("button", { name: "Whole document" });
    await whole.scrollIntoViewIfNeeded();
    const before = (await whole.boundingBox())?.y ?? Number.NaN;
    await whole.click();
    await page.locator("mark.is-place").first().waitFor();
    await expect.poll(async () => Math.abs(((await whole.boundingBox())?.y ?? Number.NaN) - before)).toBeLessThan(5);
  });

  it("report whether a place in a document has moved, changed or been deleted", async () => {
    await ask(QUESTIONS.answer);
    await page.getByRole("button", { name: /^Source 1: / }).click();
    await page.getByRole("button", { name: "Whole document" }).click();
    await page.locator("mark.is-place").first().waitFor();
    const link = page.url();
    documents = [storedDocument("A new beginning. ", "v2")];
    await page.reload();
    await page.getByText("Moved.").waitFor();
    expect((await page.locator("mark.is-place").allTextContents()).join("")).toBe(REVIEW_QUOTE);
    const changed = storedDocument("", "v3");
    documents = [{ ...changed, text: changed.text.replaceAll("1 year", "2 years"), blocks: changed.blocks.slice(0, 1) }];
    await page.reload();
    await page.getByText("Changed.").waitFor();
    expect(await page.locator("mark.is-place").count()).toBe(0);
    documents = [];
    await page.goto(`${server.url}/`);
    await page.goto(link);
    await page.getByText("Gone.").waitFor();
    expect(await page.getByText(`“${REVIEW_QUOTE}”`).first().isVisible()).toBe(true);
  });

  it("work without a part that cannot be loaded, and report it in its place", async () => {
    await page.route(/\/why-pane[^/]*\.js$/, (route) => route.abort());
    await ask(QUESTIONS.answer);
    await page.getByRole("link", { name: "Why this answer" }).click();
    const alert = page.getByRole("alert").filter({ hasText: "This part of the page could not be loaded" });
    await alert.waitFor();
    await page.getByText("quoted word for word").waitFor();
    await page.unroute(/\/why-pane[^/]*\.js$/);
    await alert.getByRole("button", { name: "Reload the page" }).click();
    await page.getByRole("tab", { name: "Path" }).waitFor();
  });

  it("ask for a key if one is required, and report an invalid one", async () => {
    await start({ withKey: true });
    const alert = page.getByRole("alert").filter({ hasText: "This server requires an API key." });
    await alert.getByText("Sign in with a key that has the required role.").waitFor();
    expect(await alert.textContent()).not.toContain("Bearer");
    await page.goto(`${server.url}/#/answer/${REVIEW_ANSWER.id}`);
    await page.getByRole("main", { name: "Shared answer" }).getByText("Sign in with a key that has the required role.").waitFor();
    await page.goto(server.url);
    await enterKey(page, "wrong-token");
    await page.getByRole("alert").getByText("Unknown key.").waitFor();
    await page.getByLabel("Key", { exact: true }).fill("secret-token");
    await page.getByRole("dialog").getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await openOptions(page);
    await page.getByRole("heading", { name: "Signed in by key" }).waitFor();
  });

  it(`run no code from documents, answers or names${hasHostileSet ? "" : " (our own attacks only: SOURCEBOUND_DATA is not set)"}`, async () => {
    const texts = part(
      readHostileTexts().filter((text) => text.trim() !== ""),
      500,
    );
    const per = 250;
    const groups = Array.from({ length: Math.ceil(texts.length / per) }, (_, i) => texts.slice(i * per, (i + 1) * per));
    documents = null;
    engine = createFakeAskEngine(async function* ({ request }) {
      const group = groups[Number(request.question.split(" ").at(-1))] ?? [];
      const citations = group.map((text, i) => ({
        ...sampleCitation(i + 1, { title: text, url: text, asOf: text, headingPath: [text], path: text, context: text }, text),
        // The server rejects longer ids before it looks for the document.
        documentId: text.slice(0, 100).toWellFormed(),
      }));
      const sentences = group.map((text, i) => ({ text, citations: [i + 1] }));
      yield* eventsOf(
        sampleAnswer({ question: request.question, sentences, citations, warnings: group.map((message) => ({ code: message, message })) }),
      );
    });
    for (const [i, group] of groups.entries()) {
      await start();
      const happened = eventsIn(page, (url) => url.startsWith(server.url));
      // The fake engine has no such document, so opening the source in the reader gives one 404.
      const missing = "Failed to load resource: the server responded with a status of 404 (Not Found)";
      page.on("response", (response) => {
        const { pathname } = new URL(response.url());
        if (response.status() === 404 && !pathname.startsWith("/v1/documents/")) happened.push(`404 ${pathname}`);
      });
      await ask(`group ${i}`);
      await page.getByText("Why this answer").waitFor();
      expect(await page.locator(".source").count()).toBe(group.length);
      await page.locator(".source-head").first().click();
      expect(
        await page.locator("main :is(img, script, style, iframe, object, embed, form:not(.ask-box), video, audio, math)").count(),
      ).toBe(0);
      const links = await page.locator("main a").evaluateAll((all) => all.map((one) => (one as HTMLAnchorElement).protocol));
      expect(new Set(links)).toEqual(new Set(links.filter((one) => one === "http:" || one === "https:")));
      expect(await page.title()).toBe("Sourcebound");
      expect([...happened, ...complaints.filter((line) => line !== missing)]).toEqual([]);
    }
  }, 600_000);
});

async function start({ withKey = false }: { withKey?: boolean } = {}): Promise<void> {
  const stored = documents === null ? {} : { documents: () => documents ?? [] };
  const service = fakeRooms({ ...stored, answers: () => answers });
  const keys = withKey ? { keys: { find: async () => null, any: async () => true }, adminToken: "secret-token" } : {};
  ({ server, page, complaints } = await openApp(shared, { engine: { ...engine, ...service }, ...keys }));
  await page.getByLabel("Your question").waitFor();
}

async function ask(question: string): Promise<void> {
  const before = await page.getByRole("article").count();
  await page.getByLabel("Your question").fill(question);
  await page.keyboard.press("Enter");
  await page.locator(`article:nth-of-type(${before + 1})[aria-busy="false"]`).waitFor();
}
