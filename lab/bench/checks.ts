import {
  checkSentence,
  createEmbeddedSupportScorer,
  createReader,
  loadEmbeddedEncoder,
  profileNamed,
  quantile,
  versionsOf,
} from "../../src/internals.ts";
import type { Benchmark } from "../commands/bench.ts";

const ANSWERS = 200;
const ROUNDS = 7;

/** Quotes and sentences in the shape of model-written answers: six quotes of about 100 tokens, eight sentences that cite one or two. */
const TOPICS = ["burial", "travel", "housing", "training", "dental", "survivor"] as const;
const quoteOf = (topic: string, i: number, edition: number) =>
  `Edition ${edition}. If you qualify for the ${topic} allowance, we'll pay up to $${(i + 2) * 350} within ${30 * (i + 1)} days of your request. ` +
  `You must apply before your ${60 + i}th birthday and send VA Form 21-${5300 + i}EZ with your discharge papers. ` +
  `The ${topic} office can't accept a request by phone, but you can write to it or apply in person at a regional benefit office. ` +
  `Since October 1, ${2010 + i}, the rate rises by ${i + 1}.5% each year, and families with at least ${i + 1} dependents receive more.`;
const sentenceOf = (topic: string, i: number) =>
  [
    `The ${topic} allowance pays up to $${(i + 2) * 350}, and VA sends it within ${30 * (i + 1)} days after you ask.`,
    `To get it, send Form 21-${5300 + i}EZ and your discharge papers before you turn ${60 + i}; the ${topic} office doesn't take requests by phone.`,
  ][i % 2] ?? "";

/** What do the checks of one answer cost, with the support score and without? */
export const benchmark: Benchmark = {
  description: "checks of an answer of 8 sentences against 6 quotes, with the support score and without",
  async run(_args, progress) {
    const scorer = createEmbeddedSupportScorer(loadEmbeddedEncoder());
    const ways = { all: scorer, "without the support score": null };
    const times = Object.entries(ways).map(([name, support]) => ({ name, support, first: [] as number[], again: [] as number[] }));
    for (let round = 0; round < ROUNDS; round++) {
      progress(`round ${round + 1} of ${ROUNDS}`);
      for (const { support, first, again } of times) {
        const reader = createReader();
        await checkAnswerOnce(reader, support, 0);
        const started = cpuMs();
        for (let i = 0; i < ANSWERS; i++) await checkAnswerOnce(reader, support, round * ANSWERS + i + 1);
        first.push((cpuMs() - started) / ANSWERS);
        const restarted = cpuMs();
        for (let i = 0; i < ANSWERS; i++) await checkAnswerOnce(reader, support, 0);
        again.push((cpuMs() - restarted) / ANSWERS);
      }
    }
    // The first round also compiles.
    const medianOf = (list: readonly number[]) => quantile(list.slice(1), 0.5);
    const rows = times.flatMap(({ name, first, again }) => [
      { name: `answer, quotes read for the first time, ${name}`, ms: medianOf(first) },
      { name: `answer, quotes known, ${name}`, ms: medianOf(again) },
    ]);
    return {
      report: {
        name: "checks",
        command: "bench checks",
        versions: { ...versionsOf(), support: scorer.id },
        seed: 0,
        date: new Date().toISOString(),
        n: { answers: ANSWERS, rounds: ROUNDS, sentences: 8, quotes: TOPICS.length },
        metrics: {},
        timings: Object.fromEntries(rows.map(({ name, ms }) => [`${name}, ms`, ms])),
        items: [],
      },
      table: rows.map(({ name, ms }, i) => ({
        name,
        figure: ms === null ? "–" : `${ms.toFixed(2)} ms`,
        ...(i === 0 ? { note: `target ≤ 3 ms; processor time, medians of ${ROUNDS - 1} rounds of ${ANSWERS}` } : {}),
      })),
    };
  },
};

/** Processor time of this process: what other programs take does not count. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

type Support = ReturnType<typeof createEmbeddedSupportScorer> | null;

/** @param edition quotes of another edition have not been read before */
async function checkAnswerOnce(reader: ReturnType<typeof createReader>, support: Support, edition: number): Promise<void> {
  const quotes = TOPICS.map((topic, i) => ({
    text: quoteOf(topic, i, edition),
    url: `https://www.va.gov/${topic}/`,
    exact: true,
    above: ["Allowances", topic],
  }));
  const context = {
    settings: profileNamed("sourcebound").check,
    hosts: ["va.gov"],
    homePage: null,
    reader,
    question: "How much is the allowance and how do I get it?",
    support,
  };
  for (let i = 0; i < 8; i++) {
    const at = i % TOPICS.length;
    const text = sentenceOf(TOPICS[at] ?? "", at + 2 * Math.floor(i / TOPICS.length));
    const cited = quotes.filter((_, j) => j === at || (i === 3 && j === 4));
    const others = quotes.filter((quote) => !cited.includes(quote)).map((quote) => [quote]);
    await checkSentence({ text, cited, others }, context);
  }
}
