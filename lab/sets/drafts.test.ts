import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { createShippedSupport } from "../../src/engine/local-models.ts";
import { folderOfFile, writeIn } from "../../test/support/folders.ts";
import { evaluateDrafts } from "./drafts.ts";

const PAGE = "# Letters\n\nYou have 60 days from the date of the letter to send evidence. If your claim is urgent, you have 15 days.\n";
const OTHER = "# Parades\n\nThe parade takes place in spring, and everybody may come.\n";
const FAITHFUL = "You have 60 days from the date of the letter to send evidence [1]. The parade takes place in spring [2].";

const root = folderOfFile();
beforeAll(() => {
  writeIn(root, "pages/letters.md", PAGE);
  writeIn(root, "pages/parades.md", OTHER);
  const draft = (id: string, fault: string, text: string, span: string | null) => ({
    id,
    question_id: "q",
    source_pages: ["pages/letters.md", "pages/parades.md"],
    draft: text,
    fault,
    faulty_span: span === null ? null : [text.indexOf(span), text.indexOf(span) + span.length],
  });
  writeIn(root, "va-drafts-x.jsonl", [
    draft("a", "none", FAITHFUL, null),
    draft("b", "number", FAITHFUL.replace("60", "15"), "15 days"),
    draft("c", "citation", FAITHFUL.replace("[1]", "[2]"), "[2]"),
    draft("d", "citation", FAITHFUL.replace("[1]", "[3]"), "[3]"),
    draft("e", "url", FAITHFUL.replace(" [1]", " (https://www.va.gov/none/) [1]"), "https://www.va.gov/none/"),
    draft("f", "negation", FAITHFUL.replace("takes place", "doesn't take place"), "doesn't take"),
    // The fault is in the first sentence and the finding in the second, so it does not count as caught.
    draft("g", "number", FAITHFUL.replace("in spring", "on May 5"), "60 days"),
  ]);
  writeIn(root, "va-answerable-x.jsonl", [{ id: "q", question: "How long?", gold_pages: ["pages/letters.md"], difficulty: "easy" }]);
});

describe("evaluateDrafts", () => {
  it("counts a fault as caught where a listed check finds it in the faulty sentence", async () => {
    const domain = { base_url: "https://www.va.gov/", strip_prefix: "pages/", hosts: [], home_page: null };
    const { metrics, n, items } = await evaluateDrafts({ corpus: root, golden: root, domain, profile: "sourcebound", support: null });
    expect(metrics).toMatchObject({
      "faults.none.touched": 0,
      "faults.number.caught": 0.5,
      "faults.citation.caught": 1,
      "faults.url.caught": 1,
      "faults.entity.caught": null,
    });
    expect(n["faults.citation"]).toBe(2);
    expect(items.find(({ id }) => id === "g")).toMatchObject({ hit: false });
  });
});

const DATA = process.env.SOURCEBOUND_DATA ?? "";
describe.skipIf(DATA === "")(`golden drafts${DATA === "" ? " (skipped: SOURCEBOUND_DATA is not set)" : ""}`, () => {
  it("finds the faults of the development drafts and leaves the faithful ones", { tags: "all/data" }, async () => {
    const domain = { base_url: "https://www.va.gov/", strip_prefix: "pages/", hosts: ["va.gov"], home_page: null };
    const options = { corpus: join(DATA, "va-pages"), golden: join(DATA, "va-golden"), domain, profile: "sourcebound" };
    const expectCaught = (metrics: Readonly<Record<string, unknown>>, least: Readonly<Record<string, number>>) => {
      for (const [fault, count] of Object.entries(least))
        expect(metrics[`faults.${fault}.caught`], fault).toBeGreaterThanOrEqual(count / 20);
    };
    const bare = await evaluateDrafts({ ...options, support: null });
    expectCaught(bare.metrics, { number: 19, url: 20, entity: 13 });
    expect(bare.metrics["faults.none.touched"]).toBeLessThanOrEqual(2 / 30);
    // A replacement citation must support the sentence by the shipped entailment score; without that score, no citation is replaced.
    const scored = await evaluateDrafts({ ...options, support: createShippedSupport() });
    expectCaught(scored.metrics, { number: 19, citation: 20, url: 20, entity: 14, negation: 5, unsupported: 18 });
    expect(scored.metrics["faults.none.touched"]).toBeLessThanOrEqual(10 / 30);
  });
});
