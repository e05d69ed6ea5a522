// @module-tag all/browser
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { createEngine } from "../../src/engine/engine.ts";
import { createClaimJudge } from "../../src/grading/claim-judge.ts";
import { createEvaluations } from "../../src/grading/evaluations.ts";
import { layOutDocuments } from "../../src/grading/golden-set.ts";
import { type MadePdf, makePdf } from "../../src/ingest/testing/made-pdf.ts";
import { createMetrics } from "../../src/server/serving.ts";
import { type Library, openInTest } from "../support/engine.ts";
import { CARD, LIBRARY_DOCUMENTS, LIBRARY_PACK, writeFiles } from "../support/library.ts";
import { enterKey, hasChromium, objections, openApp, type SharedPage, usePage } from "./harness.ts";

const FINES = "What do overdue books cost?";
const TOKEN = "secret-token";

const LOANS = "How long may books be kept?";
const OWN_MARKS = { gold_quotes: ["Overdue books cost 20 cents per day."], key_values: ["20 cents"] };
const ANSWERABLE = [
  {
    id: "a1",
    question: LOANS,
    gold_pages: ["documents/loans.md"],
    gold_quotes: ["Books may be kept for 21 days."],
    key_values: ["21 days"],
  },
  { id: "a2", question: FINES, gold_pages: ["documents/fines.txt"], ...OWN_MARKS },
];
const UNANSWERABLE = [{ id: "u1", question: "What is the boiling point of tungsten?", kind: "out_of_scope" }];

const VARIANTS = { control: { share: 0.5 }, lower: { share: 0.5, config: { answer_from: 0.3 } } };

let shared: SharedPage;
let library: Library;
let page: Page;
let complaints: string[];

describe.skipIf(!hasChromium)("views that analyse answers", () => {
  shared = usePage();
  beforeEach(async () => {
    library = await openInTest({ settings: { experiments: { "lower-threshold": { variants: VARIANTS } } } });
    const { engine } = library;
    const evaluations = createEvaluations({
      config: engine.config,
      openEngine: createEngine,
      openJudge: async () => createClaimJudge(null),
      layOut: (domain, to) => layOutDocuments(engine, domain, to),
    });
    onTestFinished(() => evaluations.close());
    ({ page, complaints } = await openApp(shared, { engine, evaluations, metrics: createMetrics(), adminToken: TOKEN }));
    await signIn();
  });

  it("graph: reports an empty store, draws nodes and filters them", async () => {
    await room("Graph");
    await page.getByText("Nothing is stored yet").waitFor();
    expect(await objections(page, "graph, empty")).toEqual([]);
    await library.ask(CARD);
    await library.ask(FINES);
    await page.reload();
    const nodes = page.getByRole("region", { name: "Nodes that are shown" });
    await nodes.getByRole("button", { name: CARD }).waitFor();
    expect(await page.locator(".graph-drawing circle").count()).toBe(await nodes.getByRole("listitem").count());
    expect(await objections(page, "graph")).toEqual([]);
    await page.emulateMedia({ forcedColors: "active", colorScheme: "dark" });
    const fills = () => page.locator(".graph-drawing .node path").evaluateAll((paths) => paths.map((one) => getComputedStyle(one).fill));
    const canvas = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    expect((await fills()).filter((fill) => fill === canvas)).toEqual([]);
    expect(await fills()).not.toEqual([]);
    const kinds = await page.locator(".filters .node-key path").evaluateAll((paths) => paths.map((one) => one.getAttribute("d")));
    expect(new Set(kinds).size).toBe(4);
    await page.emulateMedia({ forcedColors: "none", colorScheme: null });
    await page.getByRole("checkbox", { name: "questions" }).uncheck();
    await nodes.getByRole("button", { name: CARD }).waitFor({ state: "detached" });
    await page.getByRole("checkbox", { name: "questions" }).check();
    await nodes.getByRole("button", { name: CARD }).click();
    await nodes.getByRole("button", { name: FINES }).waitFor({ state: "detached" });
    await page.getByLabel("Topic", { exact: true }).selectOption({ label: "All topics" });
    await page.getByLabel("Name contains").fill("camel");
    await page.getByText("Nothing matches these filters.").waitFor();
    await page.getByLabel("Name contains").fill("overdue");
    await nodes.getByRole("button", { name: FINES }).waitFor();
    await nodes.getByRole("link", { name: `Open ${FINES}` }).click();
    await page.getByRole("heading", { name: FINES }).waitFor();
    expect(complaints).toEqual([]);
  });

  it("evaluate: asks the user's own questions, and explains an invalid file", async () => {
    await room("Evaluate");
    const file = page.getByLabel("File of questions");
    const send = (text: string) => file.setInputFiles({ name: "own.yaml", mimeType: "text/yaml", buffer: Buffer.from(text) });
    await send("questions:\n  - question: What is this?\n");
    const wrong = page.getByRole("alert").filter({ hasText: "own.yaml: question 1" });
    expect(await wrong.textContent()).not.toContain("/tmp");
    expect(await objections(page, "evaluate, a wrong file")).toEqual([]);
    complaints.length = 0;
    await page.getByText("Example of a question file").click();
    await send(
      JSON.stringify({
        questions: [
          { question: FINES, ...OWN_MARKS },
          { question: "Do you lend skis?", kind: "out_of_scope" },
        ],
      }),
    );
    const runs = page.getByRole("region", { name: "Runs" }).getByRole("listitem");
    await runs.getByText("done", { exact: true }).waitFor({ timeout: 60_000 });
    expect(await runs.first().textContent()).toContain("own.yaml");
    const open = page.getByRole("region", { name: "Selected run" });
    const right = open.getByRole("listitem").filter({ hasText: "Answerable questions answered correctly" });
    await right.waitFor();
    expect(await right.locator(".figure").textContent()).toBe("100 %");
    expect(await open.textContent()).toContain("Command: POST /v1/evaluations (own.yaml)");
    expect(await objections(page, "evaluate, own questions")).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("evaluate: runs a golden set, shows its figures, compares two runs and exports one", async () => {
    await room("Evaluate");
    await page.getByText("There is no run yet.", { exact: false }).waitFor();
    await page.getByText("“Town library” has no golden set. Choose a file of your own.").waitFor();
    expect(await page.getByRole("button", { name: /^Run the golden set/ }).count()).toBe(0);
    expect(await objections(page, "evaluate, empty")).toEqual([]);
    writeGoldenSet(library.sandbox.folder);
    await page.reload();
    await page.getByRole("button", { name: "Run the golden set of Town library" }).click();
    const runs = page.getByRole("region", { name: "Runs" }).getByRole("listitem");
    await runs.getByText("done", { exact: true }).waitFor({ timeout: 60_000 });
    expect(await runs.first().textContent()).toContain("3 of 3 questions");
    const open = page.getByRole("region", { name: "Selected run" });
    const right = open.getByRole("listitem").filter({ hasText: "Answerable questions answered correctly" });
    await right.waitFor();
    expect(await right.locator(".figure").textContent()).toBe("100 %");
    await open.getByLabel("Show", { exact: true }).selectOption("");
    expect(await open.getByRole("region", { name: "Questions of the run" }).getByRole("listitem").count()).toBe(3);
    await open.getByRole("region", { name: "Wrong answers by confidence threshold", exact: true }).waitFor();
    expect(await objections(page, "evaluate, run")).toEqual([]);

    await page.getByRole("button", { name: "Run the golden set of Town library" }).click();
    await expect.poll(() => runs.getByText("done", { exact: true }).count(), { timeout: 60_000 }).toBe(2);
    await open.getByLabel("Compare with").waitFor();
    await open.getByLabel("Compare with").selectOption({ index: 1 });
    const difference = open.getByRole("row").filter({ hasText: "Answerable questions answered correctly" });
    await difference.waitFor();
    expect(await difference.textContent()).toContain("0 % [0 %, 0 %]");
    expect(await objections(page, "evaluate, compared")).toEqual([]);

    const download = page.waitForEvent("download");
    await open.getByRole("button", { name: "Export as one page" }).click();
    const exported = readFileSync(await (await download).path(), "utf8");
    expect(exported).toContain(LOANS);
    expect(exported).not.toMatch(/<(?:script|link|img)[^>]+(?:src|href)="http/);
    await open.getByRole("button", { name: "Delete" }).click();
    expect(await objections(page, "evaluate, asked before deleting")).toEqual([]);
    await open.getByRole("button", { name: "Keep" }).click();
    await page.reload();
    await runs.first().waitFor();
    expect(await runs.count()).toBe(2);
    await open.getByRole("button", { name: "Delete" }).click();
    await open.getByRole("button", { name: "Delete the run and its results" }).click();
    await expect.poll(() => runs.count()).toBe(1);
    expect(complaints).toEqual([]);
  }, 180_000);

  it("monitor: counts questions and shows the state of experiments", async () => {
    await room("Monitor");
    await page.getByText("No questions were asked in this period.").waitFor();
    await library.ask(CARD);
    await library.ask(CARD);
    await page.getByRole("button", { name: "Refresh" }).click();
    const questions = page.getByRole("listitem").filter({ hasText: "Questions" });
    await expect.poll(() => questions.textContent()).toBe("Questions250 % from the cache");
    expect(await page.getByRole("listitem").filter({ hasText: "Answered" }).textContent()).toBe("Answered2100 of 100");
    const experiment = page.getByRole("region", { name: "lower-threshold", exact: true });
    await experiment.getByRole("row").filter({ hasText: "lower" }).waitFor();
    await page
      .getByText(/sessions/i)
      .first()
      .waitFor();
    expect(await objections(page, "monitor")).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("library: accepts a dropped PDF and highlights a quote on its page", async () => {
    const made = makePdf([
      { type: "heading", level: 1, text: "Rules for the boat house" },
      {
        type: "paragraph",
        text: "The boat house opens at nine in the morning. A rowing boat may be hired for 45 minutes at a time. Nobody rows after dusk.",
      },
      { type: "paragraph", text: "Life jackets hang beside the door. Children wear one on the water." },
    ]);
    await room("Library");
    await page
      .getByRole("main", { name: "Library" })
      .getByLabel("Drop files here, or choose them")
      .setInputFiles({ name: "boats.pdf", mimeType: "application/pdf", buffer: Buffer.from(made.bytes) });
    await page.getByText("1 file uploaded.").waitFor();
    const file = page.getByRole("listitem").filter({ hasText: "boats.pdf" });
    await file.getByText("ready", { exact: true }).waitFor({ timeout: 30_000 });
    await page.getByRole("link", { name: "Ask", exact: true }).click();
    await page.getByLabel("Your question").fill("For how long may a rowing boat be hired?");
    await page.keyboard.press("Enter");
    await page.getByText("A rowing boat may be hired for 45 minutes at a time.").first().waitFor();
    await page.getByRole("button", { name: /^Source 1: / }).click();
    await page.getByRole("button", { name: "Whole document" }).click();
    await page.locator("mark.is-place").first().waitFor();
    await page.getByRole("tab", { name: "Pages" }).click();
    const marks = page.locator(".page-mark.is-place");
    await marks.first().waitFor();
    const sheet = await page.locator(".pdf-sheet").first().boundingBox();
    const boxes = await Promise.all((await marks.all()).map((mark) => mark.boundingBox()));
    for (const word of quoted(made, "A rowing boat may be hired for 45 minutes at a time.")) {
      const [x, y] = [word.x + word.width / 2, word.y + word.height / 2];
      const scale = (sheet?.width ?? 0) / 612;
      const covered = boxes.some(
        (box) =>
          box !== null &&
          sheet !== null &&
          (box.x - sheet.x) / scale <= x &&
          (box.x + box.width - sheet.x) / scale >= x &&
          (box.y - sheet.y) / scale <= y &&
          (box.y + box.height - sheet.y) / scale >= y,
      );
      expect([word.text, covered]).toEqual([word.text, true]);
    }
    expect(await inkOf(page)).toBeGreaterThan(100);
    const pane = page.getByRole("region", { name: "Rules for the boat house", exact: true });
    const wide = page.viewportSize();
    await page.setViewportSize({ width: 1280, height: 400 });
    const scrolled = await pane.evaluate((element) => {
      element.scrollTop = element.scrollHeight;
      return element.scrollTop;
    });
    expect(scrolled).toBeGreaterThan(200);
    await expect.poll(async () => (await page.getByRole("tab", { name: "Text" }).boundingBox())?.y ?? -1).toBeGreaterThanOrEqual(0);
    if (wide !== null) await page.setViewportSize(wide);
    expect(await objections(page, "pdf pages")).toEqual([]);
    expect(complaints).toEqual([]);
  }, 180_000);

  it("warns at the sentence when a quote has changed or was deleted, also in another view and after a reload", async () => {
    const both = "What does a library card cost, and what do children under 12 pay?";
    await page.getByLabel("Your question").fill(both);
    await page.keyboard.press("Enter");
    await page.getByText("quoted word for word").waitFor();
    const answer = page.getByRole("article", { name: both });
    expect(await answer.locator(".answer .doubt").count()).toBe(0);

    const cards = join(library.sandbox.folder, "documents", "cards.md");
    writeFileSync(cards, readFileSync(cards, "utf8").replace("5 dollars", "9 dollars"));
    await library.ingest();
    await room("Library");
    await page.getByRole("link", { name: "Ask", exact: true }).click();
    await answer.getByText("The document has changed since: this place now says something else.").waitFor();
    await answer.getByText("1 quote changed or deleted since").waitFor();
    expect(await answer.locator(".answer .doubt").count()).toBe(1);
    expect(await objections(page, "a quote that changed")).toEqual([]);

    rmSync(cards);
    await library.ingest();
    await page.reload();
    const gone = answer.getByText("The source no longer exists: no document says this any more.");
    await gone.first().waitFor();
    await expect.poll(() => gone.count()).toBe(2);
    expect(await objections(page, "a quote that is gone")).toEqual([]);
    expect(complaints).toEqual([]);
  });
});

/** Gives the pack a golden set over its documents. */
function writeGoldenSet(folder: string): void {
  writeFiles(join(folder, "domains", "library"), {
    "domain.yaml": `${LIBRARY_PACK}golden: golden\ndocuments: { path: documents }\n`,
    ...Object.fromEntries(Object.entries(LIBRARY_DOCUMENTS).map(([path, text]) => [`documents/${path}`, text])),
    "golden/answerable.jsonl": ANSWERABLE.map((row) => JSON.stringify(row)).join("\n"),
    "golden/unanswerable.jsonl": UNANSWERABLE.map((row) => JSON.stringify(row)).join("\n"),
  });
}

function quoted({ words }: MadePdf, sentence: string): MadePdf["words"] {
  const wanted = sentence.split(" ");
  const at = words.findIndex((_, i) => wanted.every((word, k) => words[i + k]?.text === word));
  expect(at).toBeGreaterThanOrEqual(0);
  return words.slice(at, at + wanted.length);
}

/** Counts dark pixels of the first page. */
function inkOf(target: Page): Promise<number> {
  return target
    .locator(".pdf-sheet canvas")
    .first()
    .evaluate((element) => {
      if (!(element instanceof HTMLCanvasElement)) return 0;
      const { data } = element.getContext("2d")?.getImageData(0, 0, element.width, element.height) ?? { data: [] };
      let dark = 0;
      for (let i = 0; i < data.length; i += 4) if ((data[i] ?? 255) < 90) dark++;
      return dark;
    });
}

async function room(name: string): Promise<void> {
  await page.getByRole("link", { name, exact: true }).click();
  await page.getByRole("heading", { level: 1, name }).waitFor();
}

async function signIn(): Promise<void> {
  await enterKey(page, TOKEN);
  await page.getByRole("navigation", { name: "Rooms" }).getByRole("link", { name: "Monitor" }).waitFor();
}
