import { join } from "node:path";
import { z } from "zod";
import { type CheckContext, checkSentence } from "../../src/checks/check.ts";
import type { CitedQuote } from "../../src/checks/finding.ts";
import { createReader } from "../../src/checks/statements.ts";
import { readGolden } from "../../src/grading/golden.ts";
import { createRandom } from "../../src/grading/metrics.ts";
import { countRow, type TableRow } from "../../src/grading/report.ts";
import { profileNamed } from "../../src/profiles/index.ts";
import { splitSentences } from "../../src/text/sentences.ts";
import { MUTATIONS, type Mutation, mutate } from "../made/mutations.ts";
import type { ChecksSection } from "../sets/drafts.ts";

/** Sets on which no check was tuned. */
const SETS = {
  policyqa: (data: string) => readGolden(join(data, "policyqa"), "passages", z.object({ text: z.string() })).map(({ text }) => text),
  medquad: (data: string) => readGolden(join(data, "medquad"), "medquad", z.object({ answer: z.string() })).map(({ answer }) => answer),
};

/** Required folders. */
export const MUTATED_SETS: readonly string[] = Object.keys(SETS);

export interface MutationOptions {
  /** Folder with `policyqa/` and `medquad/`. */
  readonly data: string;
  readonly profile: string;
  readonly support: CheckContext["support"];
  /** Number of sentences per set. */
  readonly sentences: number;
  readonly seed: number;
}

const WORDS = /\p{L}{2,}/gu;

/**
 * Runs true sentences of other corpora, unchanged and with one fault, through the checks with their passage as evidence, and counts faults
 * caught and true sentences flagged. The sentences are verbatim; paraphrases are harder.
 */
export async function evaluateMutations({ data, profile, support, sentences, seed }: MutationOptions): Promise<ChecksSection> {
  const metrics: Record<string, number | null> = {};
  const n: Record<string, number> = {};
  const table: TableRow[] = [];
  for (const [set, load] of Object.entries(SETS)) {
    const random = createRandom(seed);
    const passages = load(data).filter((text) => text.length > 200 && text.length < 6000);
    const reader = createReader();
    const settings = profileNamed(profile).check;
    const context: CheckContext = { settings, hosts: [], homePage: null, reader, question: "", support };
    const quoteOf = (text: string): CitedQuote => ({ text, url: null, exact: true });
    const isCaught = async (text: string, cited: string, others: string[]) => {
      const checked = await checkSentence({ text, cited: [quoteOf(cited)], others: others.map((other) => [quoteOf(other)]) }, context);
      return !checked.kept || checked.results.some(({ verdict }) => verdict !== "pass");
    };
    const counts = new Map<Mutation | "none", { caught: number; n: number }>();
    const count = (kind: Mutation | "none", caught: boolean) => {
      const before = counts.get(kind) ?? { caught: 0, n: 0 };
      counts.set(kind, { caught: before.caught + (caught ? 1 : 0), n: before.n + 1 });
    };
    for (let i = 0; i < sentences; i++) {
      const passage = passages[Math.floor(random() * passages.length)] ?? "";
      const donor = { text: passages[Math.floor(random() * passages.length)] ?? "" };
      const usable = splitSentences(passage)
        .map(({ start, end }) => passage.slice(start, end))
        .filter((sentence) => (sentence.match(WORDS)?.length ?? 0) >= 6);
      const sentence = usable[Math.floor(random() * usable.length)];
      if (sentence === undefined || donor.text === passage) continue;
      count("none", await isCaught(sentence, passage, [donor.text]));
      for (const kind of MUTATIONS) {
        const wrong = mutate(kind, sentence, passage, donor, random);
        if (wrong === null || (wrong === sentence && kind !== "citation")) continue;
        count(kind, kind === "citation" ? await isCaught(wrong, donor.text, [passage]) : await isCaught(wrong, passage, [donor.text]));
      }
    }
    for (const kind of [...MUTATIONS, "none"] as const) {
      const { caught, n: all } = counts.get(kind) ?? { caught: 0, n: 0 };
      const name = `mutations.${set}.${kind}.${kind === "none" ? "touched" : "caught"}`;
      metrics[name] = all === 0 ? null : caught / all;
      n[`mutations.${set}.${kind}`] = all;
      table.push(countRow(name, caught, all));
    }
  }
  return { n, metrics, table, items: [] };
}
