// node compare_tokens.mjs TOKENS.json [WEIGHTS.bin]: does the reader's tokenizer give the ids that golden_tokens.py wrote?
import { readFileSync } from "node:fs";
import { createWordpiece, loadReaderWeights, piecesOf, SHIPPED_WEIGHTS } from "../../../dist/src/internals.js";

const [file, weights = SHIPPED_WEIGHTS] = process.argv.slice(2);
const pieces = piecesOf(loadReaderWeights(weights, 1));
const wordpiece = createWordpiece(pieces, { piece: pieces.indexOf("[UNK]") });
const golden = JSON.parse(readFileSync(file, "utf8"));
let [tokens, different] = [0, 0];
for (const { text, ids } of golden) {
  const ours = wordpiece.ids.slice(0, wordpiece.encode(text));
  tokens += ids.length;
  if (ours.length === ids.length && ids.every((id, i) => id === ours[i])) continue;
  different++;
  if (different <= 10) process.stdout.write(`different: ${JSON.stringify(text.slice(0, 80))}\n`);
}
process.stdout.write(`${golden.length} texts, ${tokens} tokens, ${different} texts with other ids\n`);
process.exit(different === 0 ? 0 : 1);
