import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEngine, loadConfig } from "../../src/index.ts";
import { makeReport, quantile } from "../../src/internals.ts";
import { verifyProof } from "../../src/proof.ts";
import type { Benchmark } from "../commands/bench.ts";

const ROUNDS = 41;
const PAGES = 6;

/** A page of about 8,000 characters with one relevant rule among many. */
const pageOf = (n: number) =>
  `# Allowance ${n}\n\nThe allowance ${n} pays ${n * 100 + 50} dollars a month. It is paid within ${n + 20} days of the request.\n\n## Further rules\n\n${Array.from(
    { length: 60 },
    (_, i) => `Rule ${i} of office ${n} says that form ${n}-${i} is sent with ${i + 2} copies and kept for ${i + 1} years.`,
  ).join(" ")}\n`;

/** A model's two sentences. Neither is a quote, so both need the cross-encoder. */
const WRITTEN = ["Allowance 3 pays 350 dollars each month. [1] ", "The money comes within 23 days after you ask [1]."];

/** Measures the verification of a proof with and without the models that score entailment. */
export const benchmark: Benchmark = {
  description: "verification of a proof over its documents, with the models that score wording and without",
  async run(_args, progress) {
    const folder = mkdtempSync(join(tmpdir(), "sourcebound-bench-"));
    try {
      const { proof, key } = await makeProof(folder);
      const ways = { "with the reader": true, "without the reader": false };
      const rows: { name: string; ms: number | null; first: number }[] = [];
      for (const [name, reader] of Object.entries(ways)) {
        progress(name);
        const times: number[] = [];
        for (let round = 0; round < ROUNDS; round++) {
          const begun = process.cpuUsage();
          const { status } = await verifyProof(proof, join(folder, "documents"), { key, reader });
          const { user, system } = process.cpuUsage(begun);
          if (status !== "verified") throw new Error(`the proof is ${status}`);
          times.push((user + system) / 1000);
        }
        rows.push({ name, ms: quantile(times.slice(1), 0.5), first: times[0] ?? 0 });
      }
      return {
        report: makeReport({
          name: "proofs",
          command: "bench proofs",
          n: { rounds: ROUNDS, characters: proof.length },
          timings: Object.fromEntries(
            rows.flatMap(({ name, ms, first }) => [
              [`${name}, ms`, ms],
              [`${name}, first, ms`, first],
            ]),
          ),
        }),
        table: rows.map(({ name, ms, first }, i) => ({
          name,
          figure: ms === null ? "–" : `${ms.toFixed(1)} ms, the first ${first.toFixed(0)} ms`,
          note: `${i === 0 ? "target ≤ 100 ms" : "target ≤ 20 ms"}; processor time, median of ${ROUNDS - 1}`,
        })),
      };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** Creates a proof of an answer written by a scripted model. */
async function makeProof(folder: string): Promise<{ proof: string; key: string }> {
  const documents = join(folder, "documents");
  mkdirSync(documents);
  for (let n = 1; n <= PAGES; n++) writeFileSync(join(documents, `${n}.md`), pageOf(n));
  const writer = {
    id: "scripted",
    async *stream() {
      for (const text of WRITTEN) yield { type: "text" as const, text };
      yield { type: "end" as const, inputTokens: 1, outputTokens: 1 };
    },
  };
  const config = loadConfig({ cwd: folder, env: {}, overrides: { data_dir: "data", answer_from: 0 } });
  const engine = await createEngine(config, { models: { small: writer, large: writer } });
  try {
    for await (const _event of engine.ingest(documents));
    const { id } = await engine.answer("How much does allowance 3 pay a month?");
    return { proof: JSON.stringify(await engine.prove(id)), key: engine.proofKey() };
  } finally {
    await engine.close();
  }
}
