import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { z } from "zod";
import { documentOrders } from "../../../src/guard/injection.ts";
import { messageFeatures } from "../../../src/guard/message-features.ts";
import { loadEmbeddedEncoder } from "../../../src/models/embedded-encoder.ts";
import { questionPieces } from "../../../src/models/injection.ts";
import { PACKAGE_ROOT } from "../../../src/package.ts";
import { splitSentences } from "../../../src/text/sentences.ts";
import { unpackSets } from "../../sets/unpack-sets.ts";
import { fitLogistic, probability } from "../logistic.ts";

/**
 * Fits the classifier of questions that give instructions to the system, on the cases in this folder, and reports it by cross-validation
 * over families. With `--place document`, it fits and reports one for documents instead, which does not ship.
 */
const { values } = parseArgs({
  options: {
    data: { type: "string", default: process.env.SOURCEBOUND_DATA ?? "" },
    weights: { type: "string" },
    place: { type: "string", default: "question" },
    /** Maximum number of cases, and of ordinary texts of each kind, for a quick test. @default all */
    few: { type: "string" },
  },
});
const FOLDS = values.few === undefined ? 7 : 3;
const SETTINGS = { epochs: 800, rate: 4, l2: 1e-5 };
/** Weight of a hard negative relative to an ordinary text. */
const HARD = 4;
/** Maximum numbers of ordinary texts. */
const MOST = { everyday: 1_500, asked: 3_000, sentences: 1_500 };
/** Minimum probability of an instruction, chosen on held-out families and ordinary texts. */
const THRESHOLD = 0.98;

const placeSchema = z.enum(["question", "document"]);
const place = placeSchema.parse(values.place);
const schema = z.object({
  family: z.string(),
  attack: z.boolean(),
  /** Where the text is an attack or a hard negative. @default both */
  in: placeSchema.optional(),
  text: z.string(),
});
type Text = z.infer<typeof schema>;
const lines = (path: string) =>
  readFileSync(path, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line): unknown => JSON.parse(line));
const sentencesOf = (text: string) =>
  splitSentences(text)
    .map(({ start, end }) => text.slice(start, end))
    .filter((sentence) => /\p{L}/u.test(sentence));

/** Returns at most `most` items, at even intervals. With `--few`, at most that many. */
function someOf<T>(all: readonly T[], most: number): T[] {
  const step = Math.max(1, Math.ceil(all.length / Math.min(most, Number(values.few ?? most))));
  return all.filter((_, i) => i % step === 0);
}

const ordinary = (kind: string, texts: readonly (readonly [text: string, group: number])[], most: number): Text[] =>
  someOf(texts, most).map(([text, group]) => ({ family: `${kind}-${group % FOLDS}`, attack: false, text }));

/** Returns questions and page sentences of our collections; those of one collection are in one fold. */
function collections(name: "written" | "strangers"): Text[] {
  const folders = globSync(join(unpackSets(join(PACKAGE_ROOT, "lab/sets", name)), "*/")).sort();
  const of = (pattern: string, read: (file: string) => readonly string[]) =>
    folders.flatMap((folder, i) =>
      globSync(join(folder, pattern))
        .sort()
        .flatMap(read)
        .map((text) => [text, i] as const),
    );
  const question = z.looseObject({ question: z.string() });
  const asked = of("*able-dev.jsonl", (file) => lines(file).map((line) => question.parse(line).question));
  const sentences = of("pages/*", (file) => sentencesOf(readFileSync(file, "utf8")));
  return [...ordinary("asked", asked, MOST.asked), ...ordinary("sentences", sentences, MOST.sentences)];
}

const encoder = loadEmbeddedEncoder();
/** Each piece of a text has features, as the product scores it; the last piece is the whole text. */
const withFeatures = (texts: readonly Text[]) =>
  texts.map((one) => ({
    ...one,
    pieces: questionPieces(one.text).map((text) => Array.from(messageFeatures(text, encoder.embedSync([text])[0] as Float32Array))),
  }));
type Row = ReturnType<typeof withFeatures>[number];

const own = someOf(lines(join(PACKAGE_ROOT, "lab/train/injection/cases.jsonl")), Number.POSITIVE_INFINITY)
  .map((line) => schema.parse(line))
  .filter((one) => (one.in ?? place) === place);
const families = [...new Set(own.map(({ family }) => family))];
const cases = withFeatures(own);
const everyday = lines(join(values.data, "clinc150", "clinc150.jsonl")).map((line) => z.looseObject({ text: z.string() }).parse(line).text);
const numbered = everyday.map((text, i) => [text, i] as const);
const others = withFeatures([...ordinary("everyday", numbered, MOST.everyday), ...collections("written")]);
const unseen = withFeatures(collections("strangers"));

/** Every piece of a negative is a negative; of an attack, only the whole text is learned. */
function learn(rows: readonly Row[]) {
  const model = fitLogistic(
    rows.flatMap(({ family, attack, pieces }) =>
      (attack ? pieces.slice(-1) : pieces).map((features) => ({
        features,
        positive: attack,
        weight: families.includes(family) ? HARD : 1,
      })),
    ),
    SETTINGS,
  );
  return { model, score: ({ pieces }: Row) => Math.max(0, ...pieces.map((features) => probability(model, features))) };
}

const all = [...cases, ...others];
const scores = new Map<Row, number>();
for (let fold = 0; fold < FOLDS; fold++) {
  const isOut = ({ family }: Row) => families.indexOf(family) % FOLDS === fold || family.endsWith(`-${fold}`);
  const { score } = learn(all.filter((row) => !isOut(row)));
  for (const row of all.filter(isOut)) scores.set(row, score(row));
}
const { model, score } = learn(all);
for (const row of unseen) scores.set(row, score(row));

const ofKind = (rows: readonly Row[], kind: string) => rows.filter(({ family }) => family.startsWith(`${kind}-`));
const groups: readonly (readonly [string, readonly Row[]])[] = [
  ["found", cases.filter(({ attack }) => attack)],
  ["hard negatives", cases.filter(({ attack }) => !attack)],
  ...["everyday", "asked", "sentences"].map((kind) => [kind, ofKind(others, kind)] as const),
  ...["asked", "sentences"].map((kind) => [`unseen ${kind}`, ofKind(unseen, kind)] as const),
];
const report = (name: string, passes: (row: Row) => boolean) =>
  process.stdout.write(`${name}: ${groups.map(([of, rows]) => `${of} ${rows.filter(passes).length} of ${rows.length}`).join("; ")}\n`);
if (place === "document") report("patterns", ({ text }) => documentOrders(text).length > 0);
for (const cut of [0.8, 0.9, 0.95, 0.96, 0.97, 0.98, 0.99]) report(`from ${cut}`, (row) => (scores.get(row) ?? 0) >= cut);
for (const family of families) {
  const rows = cases.filter((row) => row.family === family);
  const count = rows.filter((row) => (scores.get(row) ?? 0) >= THRESHOLD).length;
  process.stdout.write(`${rows[0]?.attack ? "attack" : "other "} ${family.padEnd(20)} from ${THRESHOLD}: ${count} of ${rows.length}\n`);
}

const rounded = (value: number) => Math.round(value * 1000) / 1000;
const file = {
  ...{ encoder: encoder.id, recipe: "lab/train/injection/fit.ts", threshold: THRESHOLD },
  ...{ bias: rounded(model.bias), linear: [...model.weights].map(rounded) },
};
if (values.weights !== undefined && place === "question") writeFileSync(values.weights, `${JSON.stringify(file)}\n`);
