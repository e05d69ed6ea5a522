import { type Benchmark, createEmbeddedSupportScorer, loadEmbeddedEncoder, quantile, versionsOf } from "../src/internals.ts";

const ANSWERS = 200;
const ROUNDS = 5;
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

/** What does the support score of one answer cost, with the reading of its quotes? */
export const benchmark: Benchmark = {
  description: "support score of an answer of 8 sentences against 6 quotes of about 100 tokens",
  async run(_args, progress) {
    const loads: number[] = [];
    const encoder = loadEmbeddedEncoder();
    const started = performance.now();
    const scorer = createEmbeddedSupportScorer(encoder);
    loads.push(performance.now() - started);
    const sentences = Array.from({ length: 8 }, (_, i) => sentenceOf(TOPICS[i % TOPICS.length] as string, i));
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      progress(`round ${round + 1} of ${ROUNDS}`);
      for (let i = 0; i < ANSWERS; i++) {
        const quotes = TOPICS.map((topic, at) => quoteOf(topic, at, round * ANSWERS + i));
        const from = performance.now();
        scorer.scoreAnswer(sentences, quotes);
        // The first round also compiles.
        if (round > 0) times.push(performance.now() - from);
      }
    }
    const [median, late] = [quantile(times, 0.5), quantile(times, 0.9)];
    const shown = (ms: number | null | undefined) => (ms === null || ms === undefined ? "–" : `${ms.toFixed(2)} ms`);
    return {
      report: {
        name: "support",
        command: "bench support",
        versions: { ...versionsOf(), support: scorer.id },
        seed: 0,
        date: new Date().toISOString(),
        n: { answers: times.length, sentences: sentences.length, quotes: TOPICS.length },
        metrics: {},
        timings: { "answer.median_ms": median, "answer.p90_ms": late, load_ms: loads[0] ?? null },
        items: [],
      },
      table: [
        { name: "answer, median", figure: shown(median), note: `target ≤ 3 ms; n = ${times.length}` },
        { name: "answer, 9 of 10 below", figure: shown(late) },
        { name: "weights read", figure: shown(loads[0]), note: "once" },
      ],
    };
  },
};
