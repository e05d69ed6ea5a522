import { type Benchmark, checkSentence, createReader, profileNamed, quantile, versionsOf } from "../src/internals.ts";

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

/** What do the checks of one answer cost? */
export const benchmark: Benchmark = {
  description: "checks of an answer of 8 sentences against 6 quotes, without a learned score",
  async run(_args, progress) {
    const { check } = profileNamed("sourcebound");
    const cold: number[] = [];
    const warm: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      progress(`round ${round + 1} of ${ROUNDS}`);
      const reader = createReader();
      await checkAnswerOnce(reader, check, 0);
      const started = cpuMs();
      for (let i = 0; i < ANSWERS; i++) await checkAnswerOnce(reader, check, round * ANSWERS + i + 1);
      cold.push((cpuMs() - started) / ANSWERS);
      const again = cpuMs();
      for (let i = 0; i < ANSWERS; i++) await checkAnswerOnce(reader, check, 0);
      warm.push((cpuMs() - again) / ANSWERS);
    }
    // The first round also compiles.
    const [coldMs, warmMs] = [cold, warm].map((times) => quantile(times.slice(1), 0.5));
    const shown = (ms: number | null | undefined) => (ms === null || ms === undefined ? "–" : `${ms.toFixed(2)} ms`);
    return {
      report: {
        name: "checks",
        command: "bench checks",
        versions: versionsOf(),
        seed: 0,
        date: new Date().toISOString(),
        n: { answers: ANSWERS, rounds: ROUNDS, sentences: 8, quotes: TOPICS.length },
        metrics: {},
        timings: { "answer.first_ms": coldMs ?? null, "answer.again_ms": warmMs ?? null },
        items: [],
      },
      table: [
        {
          name: "answer, quotes read for the first time",
          figure: shown(coldMs),
          note: `target ≤ 3 ms; processor time, medians of ${ROUNDS - 1} rounds of ${ANSWERS}`,
        },
        { name: "answer, quotes known", figure: shown(warmMs) },
      ],
    };
  },
};

/** Processor time of this process: what other programs take does not count. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

type CheckSettings = ReturnType<typeof profileNamed>["check"];

/** @param edition quotes of another edition have not been read before */
async function checkAnswerOnce(reader: ReturnType<typeof createReader>, settings: CheckSettings, edition: number): Promise<void> {
  const quotes = TOPICS.map((topic, i) => ({
    text: quoteOf(topic, i, edition),
    url: `https://www.va.gov/${topic}/`,
    exact: true,
    above: ["Allowances", topic],
  }));
  const context = {
    settings,
    hosts: ["va.gov"],
    homePage: null,
    reader,
    question: "How much is the allowance and how do I get it?",
    support: null,
  };
  for (let i = 0; i < 8; i++) {
    const at = i % TOPICS.length;
    const text = sentenceOf(TOPICS[at] ?? "", at + 2 * Math.floor(i / TOPICS.length));
    const cited = quotes.filter((_, j) => j === at || (i === 3 && j === 4));
    const others = quotes.filter((quote) => !cited.includes(quote)).map((quote) => [quote]);
    await checkSentence({ text, cited, others }, context);
  }
}
