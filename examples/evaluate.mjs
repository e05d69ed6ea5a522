// Evaluation in CI: asks questions with known answers and exits with 1 when too many of the answers shown are wrong.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEngine, loadConfig } from "sourcebound";

/** Most of the shown answers that may be wrong. */
const MOST_WRONG = 0.2;
const QUESTIONS = [
  { question: "How long may books be kept?", holds: "21 days" },
  { question: "How long may films be kept?", holds: "7 days" },
  { question: "Can I borrow a piano?", holds: null },
];

const folder = mkdtempSync(join(tmpdir(), "sourcebound-example-"));
writeFileSync(join(folder, "loans.md"), "# Loans\n\nBooks may be kept for 21 days. Films may be kept for 7 days.\n");
const engine = await createEngine(loadConfig({ cwd: folder, env: {} }));
for await (const _event of engine.ingest(folder));

let [shown, wrong] = [0, 0];
for (const { question, holds } of QUESTIONS) {
  const { status, sentences } = await engine.answer(question, { privacy: "ephemeral" });
  const text = sentences.map((sentence) => sentence.text).join(" ");
  const isWrong = status === "ok" && (holds === null || !text.includes(holds));
  if (status === "ok") shown += 1;
  if (isWrong) wrong += 1;
  console.log(isWrong ? "WRONG" : status, question, text);
}
await engine.close();
rmSync(folder, { recursive: true });

console.log(`${wrong} of ${shown} answers shown are wrong`);
process.exitCode = wrong > MOST_WRONG * shown ? 1 : 0;
