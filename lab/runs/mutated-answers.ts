import { join } from "node:path";
import { z } from "zod";
import { type CheckContext, type CheckedSentence, checkSentence } from "../../src/checks/check.ts";
import type { CitedQuote } from "../../src/checks/finding.ts";
import { createReader } from "../../src/checks/statements.ts";
import { type DomainPack, documentUrl, publishedContacts } from "../../src/engine/domain.ts";
import { answerableSchema, readGolden } from "../../src/grading/golden.ts";
import { createRandom } from "../../src/grading/metrics.ts";
import { countRow, makeReport, type TableRow } from "../../src/grading/report.ts";
import { profileNamed } from "../../src/profiles/index.ts";
import { parseMarkers } from "../../src/text/markers.ts";
import { splitSentences } from "../../src/text/sentences.ts";
import { ANSWER_MUTATIONS, type GoodSentence, type MutatedSentence, type MutationMaterial, mutateSentence } from "../made/mutate-answer.ts";
import { draftSchema } from "../sets/golden-drafts.ts";
import { createPageQuotes } from "../sets/page-quotes.ts";
import type { EvaluateEvent } from "./va.ts";

export interface MutatedAnswersOptions {
  /** Folder with `pages/`. */
  readonly corpus: string;
  readonly golden: string;
  readonly baseUrl?: string | undefined;
  /** Folder with `policyqa`: passages on which no check was tuned. */
  readonly data?: string | undefined;
  readonly domain: DomainPack;
  readonly profile: string;
  readonly support: CheckContext["support"];
  readonly command: string;
}

/** A correct sentence with the input of its checks and mutations. */
interface Case extends GoodSentence {
  readonly set: string;
  readonly question: string;
  readonly sources: readonly (readonly CitedQuote[])[];
  readonly donor: string;
  readonly claims: readonly string[];
}

const SEED = 11;
/** Number of sentences from the further set. */
const SENTENCES = 200;
const WORDS = /\p{L}{2,}/gu;

/**
 * Makes one fault in each correct sentence and runs the checks. A check kills a mutant if it flags the mutant but not the original; alone,
 * if no other check does. Flags on originals are false positives.
 */
export async function* evaluateMutatedAnswers(options: MutatedAnswersOptions): AsyncGenerator<EvaluateEvent, void> {
  const { domain, profile, support, data } = options;
  const cases = [...draftCases(options), ...(data === undefined ? [] : passageCases(data))];
  const random = createRandom(SEED);
  const base = {
    settings: profileNamed(profile).check,
    hosts: domain.hosts,
    homePage: domain.home_page,
    reader: createReader(),
    support,
    guards: { contacts: publishedContacts(domain), terminology: [] },
  };
  const tally = createTally();
  for (const [done, one] of cases.entries()) {
    if (done % 20 === 0) yield { type: "progress", done, total: cases.length, what: one.set };
    const context: CheckContext = { ...base, question: one.question };
    const before = await objections({ ...one, missing: [] }, one, context);
    tally.good(one.set, before);
    const material: MutationMaterial = {
      passage: one.cited
        .flatMap((i) => one.sources[i] ?? [])
        .map(({ text }) => text)
        .join("\n"),
      donor: one.donor,
      claims: one.claims,
      sources: one.sources.length,
    };
    for (const kind of ANSWER_MUTATIONS) {
      const wrong = mutateSentence(kind, one, material, random);
      if (wrong === null) continue;
      const found = await objections(wrong, one, context);
      tally.wrong(
        one.set,
        kind,
        [...found].filter((layer) => !before.has(layer)),
        { good: one.text, wrong: wrong.text },
      );
    }
  }
  const { n, metrics, table, items } = tally.summary();
  const versions = { support: support?.id ?? "none" };
  const report = makeReport({ name: "mutations", command: options.command, versions, seed: SEED, n, metrics, items });
  yield { type: "report", report, table };
}

/** Returns the names of the checks that did not pass. */
async function objections({ text, cited, missing }: MutatedSentence, { sources }: Case, context: CheckContext): Promise<Set<string>> {
  const others = sources.filter((_, i) => !cited.includes(i));
  const checked: CheckedSentence = await checkSentence({ text, cited: cited.flatMap((i) => sources[i] ?? []), missing, others }, context);
  return new Set(checked.results.filter(({ verdict }) => verdict !== "pass").map(({ name }) => name));
}

/** Returns sentences of faithful drafts with the pages they cite, and one page on another subject. */
function draftCases({ corpus, golden, baseUrl, domain }: MutatedAnswersOptions): Case[] {
  const drafts = readGolden(golden, "va-drafts", draftSchema).filter(({ fault }) => fault === "none");
  const questions = new Map(readGolden(golden, "va-answerable", answerableSchema).map(({ id, question }) => [id, question]));
  const quotesOf = createPageQuotes(corpus, (page) => documentUrl({ ...domain, base_url: baseUrl ?? domain.base_url }, page));
  const sentencesOf = (draft: string) => splitSentences(draft).map(({ start, end }) => parseMarkers(draft.slice(start, end)));
  return drafts.flatMap((draft, i) => {
    const foreign = drafts.find((other, j) => j > i && !other.source_pages.some((page) => draft.source_pages.includes(page))) ?? drafts[0];
    if (foreign === undefined) return [];
    const pages = [...draft.source_pages, ...foreign.source_pages.slice(0, 1)];
    return sentencesOf(draft.draft)
      .filter(({ numbers }) => numbers.length > 0)
      .map(({ text, numbers }) => ({
        set: "drafts",
        text,
        cited: numbers.map((number) => number - 1),
        question: questions.get(draft.question_id) ?? "",
        sources: pages.map(quotesOf),
        donor: foreign.draft,
        claims: sentencesOf(foreign.draft).map((sentence) => sentence.text),
      }));
  });
}

/** Returns sentences of passages, with their passage as the source. */
function passageCases(data: string): Case[] {
  const random = createRandom(SEED);
  const passages = readGolden(join(data, "policyqa"), "passages", z.object({ text: z.string() }))
    .map(({ text }) => text)
    .filter(({ length }) => length > 200 && length < 6000);
  const sentencesOf = (passage: string) =>
    splitSentences(passage)
      .map(({ start, end }) => passage.slice(start, end))
      .filter((sentence) => (sentence.match(WORDS)?.length ?? 0) >= 6);
  const quoteOf = (text: string): CitedQuote => ({ text, url: null, exact: true });
  return Array.from({ length: SENTENCES }).flatMap(() => {
    const passage = passages[Math.floor(random() * passages.length)] ?? "";
    const donor = passages[Math.floor(random() * passages.length)] ?? "";
    const sentences = sentencesOf(passage);
    const text = sentences[Math.floor(random() * sentences.length)];
    if (text === undefined || donor === passage) return [];
    return [
      {
        set: "policyqa",
        text,
        cited: [0],
        question: "",
        sources: [[quoteOf(passage)], [quoteOf(donor)]],
        donor,
        claims: sentencesOf(donor),
      },
    ];
  });
}

interface Counts {
  hits: number;
  n: number;
}

function createTally() {
  const kinds = new Map<string, Counts>();
  const layers = new Map<string, { kills: number; alone: number }>();
  const alarms = new Map<string, Counts>();
  const byLayer = new Map<string, number>();
  const items: Record<string, unknown>[] = [];
  let good = 0;
  let wrong = 0;
  const bump = (map: Map<string, Counts>, key: string, hit: boolean) => {
    const before = map.get(key) ?? { hits: 0, n: 0 };
    map.set(key, { hits: before.hits + (hit ? 1 : 0), n: before.n + 1 });
  };
  return {
    good(set: string, objecting: ReadonlySet<string>) {
      good++;
      bump(alarms, set, objecting.size > 0);
      for (const layer of objecting) byLayer.set(layer, (byLayer.get(layer) ?? 0) + 1);
    },
    wrong(set: string, kind: string, killers: readonly string[], texts: { good: string; wrong: string }) {
      wrong++;
      bump(kinds, `killed.${set}.${kind}`, killers.length > 0);
      for (const layer of killers) {
        const before = layers.get(layer) ?? { kills: 0, alone: 0 };
        layers.set(layer, { kills: before.kills + 1, alone: before.alone + (killers.length === 1 ? 1 : 0) });
      }
      items.push({ set, kind, killers, ...(killers.length === 0 ? texts : {}) });
    },
    summary() {
      const n: Record<string, number> = { good, wrong };
      const metrics: Record<string, number | null> = {};
      const table: TableRow[] = [];
      const add = (name: string, { hits, n: all }: Counts, note?: string) => {
        n[name] = all;
        metrics[name] = all === 0 ? null : hits / all;
        table.push(countRow(name, hits, all, note));
      };
      for (const [name, counts] of kinds) add(name, counts);
      for (const [set, counts] of alarms) add(`false_alarms.${set}`, counts, "good sentences that some layer objects to");
      const names = [...new Set([...layers.keys(), ...byLayer.keys()])].sort();
      for (const name of names) {
        const { kills, alone } = layers.get(name) ?? { kills: 0, alone: 0 };
        add(`layer.${name}.kills`, { hits: kills, n: wrong }, alone === 0 ? "kills nothing alone" : `${alone} of them alone`);
        metrics[`layer.${name}.alone`] = wrong === 0 ? null : alone / wrong;
        add(`layer.${name}.false_alarms`, { hits: byLayer.get(name) ?? 0, n: good });
      }
      return { n, metrics, table, items };
    },
  };
}
