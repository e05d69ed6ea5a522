import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { ReadTexts, TextPair } from "../../../src/cross-encoder/reader.ts";
import { sharedEncoder } from "../../../src/models/embedded-encoder.ts";
import { createEntailmentScorer } from "../../../src/models/entailment.ts";
import { parseMarkers } from "../../../src/text/markers.ts";
import { splitSentences } from "../../../src/text/sentences.ts";
import { chooseCollections, readCollection } from "../../sets/collections.ts";
import { createPageQuotes } from "../../sets/page-quotes.ts";

/**
 * Writes sentences about pages of one part, each with the windows of the pages that the product would score with it: `claims.js --pages PAGES [--part train] [--sentences FILE] --out claims.jsonl`. The sentences are those of the drafts, and
 * those of `lab/sets/page-sentences.jsonl`. `tune.py` and `adapt.py` learn from them.
 */
const { pages, out, part, sentences } = parseArgs({
  options: {
    pages: { type: "string" },
    out: { type: "string" },
    part: { type: "string", default: "train" },
    sentences: { type: "string" },
  },
}).values;
if (pages === undefined || out === undefined) throw new Error("give --pages and --out");

let windows: string[] = [];
/** Records the texts instead of scoring them. */
const keep: ReadTexts = async (texts) => {
  windows.push(...texts.map((one) => (one as TextPair).text));
  return null;
};
const weights = { name: "", recipe: "", date: "", reader: { name: "", hash: "" }, slope: 1, offset: 0 };
const scorer = createEntailmentScorer({ embed: (texts) => sharedEncoder().embedSync(texts), read: keep, weights });

interface WrittenSentence {
  readonly collection: string;
  readonly page: string;
  readonly text: string;
  readonly label: "true" | "false";
  readonly kind: string;
  readonly false_words: string | null;
}

const written =
  sentences === undefined
    ? []
    : readFileSync(sentences, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as WrittenSentence);
const lines: string[] = [];
for (const name of chooseCollections(part)) {
  const { folder, rows } = readCollection(name, pages);
  const quotesOf = createPageQuotes(folder, () => null);

  async function write(of: string, claim: string, cited: readonly string[], kind: string, fault: string | null, words: string | null) {
    windows = [];
    await scorer.score([{ claim, evidence: cited.flatMap(quotesOf).map(({ text, above = [] }) => ({ text, above })) }]);
    lines.push(JSON.stringify({ of, collection: name, claim, windows, kind, false: fault !== null, fault: fault ?? "none", words }));
  }

  for (const draft of rows) {
    if (draft.type !== "draft") continue;
    const falseAt = draft.false_words === null ? -1 : draft.draft.indexOf(draft.false_words);
    for (const { start, end } of splitSentences(draft.draft)) {
      const { text: claim, numbers } = parseMarkers(draft.draft.slice(start, end));
      const cited = [...new Set(numbers.flatMap((n) => draft.pages[n - 1] ?? []))];
      const isFalse = falseAt >= start && falseAt < end;
      await write("draft", claim, cited, "draft", isFalse ? draft.fault : null, isFalse ? draft.false_words : null);
    }
  }
  for (const { collection, page, text, label, kind, false_words } of written)
    if (collection === name) await write("page", text, [page], kind, label === "false" ? kind : null, false_words);
  process.stderr.write(`${name}\n`);
}
writeFileSync(out, `${lines.join("\n")}\n`);
