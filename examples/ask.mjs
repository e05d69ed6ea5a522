// Asks from a program: ingests two documents, prints an answer with its sources, then a refusal. Runs offline: node examples/ask.mjs
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEngine, loadConfig } from "sourcebound";

const folder = mkdtempSync(join(tmpdir(), "sourcebound-example-"));
writeFileSync(
  join(folder, "returns.md"),
  "# Returns\n\nA parcel can be returned within 30 days of delivery. Opened software cannot be returned.\n",
);
writeFileSync(join(folder, "shipping.md"), "# Shipping\n\nStandard shipping takes 3 to 5 working days.\n");

const engine = await createEngine(loadConfig({ cwd: folder, env: {} }));
for await (const event of engine.ingest(folder)) if (event.type === "ingest-end") console.log(`${event.counts.added} documents`);

for await (const event of engine.ask("Within how many days can a parcel be returned?")) {
  if (event.type === "sentence") console.log("checked:", event.sentence.text);
  if (event.type === "answer")
    for (const { n, title, quote, original } of event.answer.citations)
      console.log(`[${n}]`, title, `${original.path}:${original.start}-${original.end}`, JSON.stringify(quote));
}

const refused = await engine.answer("Who won the chess championship in Reykjavik?");
if (refused.status !== "insufficient_context") throw new Error("expected a refusal");
console.log("refused:", refused.refusal?.message);

await engine.close();
rmSync(folder, { recursive: true });
