import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { ReadTexts, TextPair } from "../../../src/cross-encoder/reader.ts";
import { sharedEncoder } from "../../../src/models/embedded-encoder.ts";
import { createEntailmentScorer } from "../../../src/models/entailment.ts";
import { parseMarkers } from "../../../src/text/markers.ts";
import { splitSentences } from "../../../src/text/sentences.ts";
import { chooseCollections, readCollection } from "../../sets/collections.ts";
import { createPageQuotes } from "../../sets/page-quotes.ts";

/**
 * Writes sentences of the drafts of one part with the windows of cited pages that the product would score with each: `claims.js --pages PAGES
 * [--part train] --out claims.jsonl`. `tune.py` learns from them.
 */
const { pages, out, part } = parseArgs({
  options: { pages: { type: "string" }, out: { type: "string" }, part: { type: "string", default: "train" } },
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

const lines: string[] = [];
for (const name of chooseCollections(part)) {
  const { folder, rows } = readCollection(name, pages);
  const quotesOf = createPageQuotes(folder, () => null);
  for (const draft of rows) {
    if (draft.type !== "draft") continue;
    const falseAt = draft.false_words === null ? -1 : draft.draft.indexOf(draft.false_words);
    for (const { start, end } of splitSentences(draft.draft)) {
      const { text: claim, numbers } = parseMarkers(draft.draft.slice(start, end));
      const evidence = [...new Set(numbers.flatMap((n) => draft.pages[n - 1] ?? []))]
        .flatMap(quotesOf)
        .map(({ text, above = [] }) => ({ text, above }));
      windows = [];
      await scorer.score([{ claim, evidence }]);
      const isFalse = falseAt >= start && falseAt < end;
      const words = isFalse ? draft.false_words : null;
      lines.push(JSON.stringify({ collection: name, claim, windows, false: isFalse, fault: isFalse ? draft.fault : "none", words }));
    }
  }
  process.stderr.write(`${name}\n`);
}
writeFileSync(out, `${lines.join("\n")}\n`);
