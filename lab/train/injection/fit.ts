import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { z } from "zod";
import { crisisFeatures } from "../../../src/guard/hotlines.ts";
import { documentOrders, injectionSignals } from "../../../src/guard/injection.ts";
import { loadEmbeddedEncoder } from "../../../src/models/embedded-encoder.ts";
import { PACKAGE_ROOT } from "../../../src/package.ts";
import { splitSentences } from "../../../src/text/sentences.ts";
import { unpackSets } from "../../sets/unpack-sets.ts";
import { fitLogistic, probability } from "../logistic.ts";

/**
 * Experiment: fits classifiers of instructions to the system, one for questions and one for sentences of documents, on the cases in this
 * folder, and compares them by cross-validation over families with the patterns that ship.
 */
const { values } = parseArgs({ options: { data: { type: "string", default: process.env.SOURCEBOUND_DATA ?? "" } } });
const FOLDS = 7;
const SETTINGS = { epochs: 800, rate: 4, l2: 3e-5 };
/** Weight of a hard negative relative to an ordinary text. */
const HARD = 4;
/** Maximum numbers of ordinary texts. */
const MOST = { everyday: 1_500, asked: 3_000, sentences: 6_000 };

const places = ["question", "document"] as const;
const schema = z.object({
  family: z.string(),
  attack: z.boolean(),
  /** Where the text is an attack or a hard negative. @default both */
  in: z.enum(places).optional(),
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

/** Returns at most `most` texts, at even intervals, as negatives. */
function ordinary(kind: string, texts: readonly (readonly [text: string, group: number])[], most: number): Text[] {
  const step = Math.max(1, Math.ceil(texts.length / most));
  return texts.filter((_, i) => i % step === 0).map(([text, group]) => ({ family: `${kind}-${group % FOLDS}`, attack: false, text }));
}

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
const withFeatures = (texts: readonly Text[]) =>
  texts.map((one) => ({ ...one, features: Array.from(crisisFeatures(one.text, encoder.embedSync([one.text])[0] as Float32Array)) }));

/** The sentences of a hard negative are hard negatives, too. */
const own = lines(join(PACKAGE_ROOT, "lab/train/injection/cases.jsonl"))
  .map((line) => schema.parse(line))
  .flatMap((one) => {
    const sentences = one.attack ? [] : sentencesOf(one.text);
    return [one, ...(sentences.length > 1 ? sentences.map((text) => ({ ...one, text })) : [])];
  });
const everyday = lines(join(values.data, "clinc150", "clinc150.jsonl")).map((line) => z.looseObject({ text: z.string() }).parse(line).text);
const cases = withFeatures(own);
const others = withFeatures([
  ...ordinary(
    "everyday",
    everyday.map((text, i) => [text, i]),
    MOST.everyday,
  ),
  ...collections("written"),
]);
const unseen = withFeatures(collections("strangers"));
const families = [...new Set(own.map(({ family }) => family))];

type Row = (typeof cases)[number];
function learn(hard: readonly Row[], ordinaryRows: readonly Row[]) {
  const of = (rows: readonly Row[], weight: number) => rows.map(({ features, attack }) => ({ features, positive: attack, weight }));
  const model = fitLogistic([...of(hard, HARD), ...of(ordinaryRows, 1)], SETTINGS);
  return ({ features }: Row) => probability(model, features);
}

for (const place of places) {
  const hard = cases.filter((one) => (one.in ?? place) === place);
  const rows = new Map<Row, number>();
  for (let fold = 0; fold < FOLDS; fold++) {
    const isOut = ({ family }: Row) => families.indexOf(family) % FOLDS === fold || family.endsWith(`-${fold}`);
    const score = learn(
      hard.filter((row) => !isOut(row)),
      others.filter((row) => !isOut(row)),
    );
    for (const row of [...hard, ...others].filter(isOut)) rows.set(row, score(row));
  }
  const score = learn(hard, others);
  const find = place === "question" ? injectionSignals : documentOrders;
  const groups: readonly (readonly [string, readonly Row[]])[] = [
    ["found", hard.filter(({ attack }) => attack)],
    ["hard negatives", hard.filter(({ attack }) => !attack)],
    ...["everyday", "asked", "sentences"].map((kind) => [kind, others.filter(({ family }) => family.startsWith(kind))] as const),
    ...["asked", "sentences"].map((kind) => [`unseen ${kind}`, unseen.filter(({ family }) => family.startsWith(kind))] as const),
  ];
  const report = (name: string, passes: (row: Row) => boolean) =>
    `${place}, ${name}: ${groups.map(([of, all]) => `${of} ${all.filter(passes).length} of ${all.length}`).join("; ")}\n`;
  for (const row of unseen) rows.set(row, score(row));
  process.stdout.write(report("patterns", ({ text }) => find(text).length > 0));
  for (const cut of [0.5, 0.8, 0.9, 0.95, 0.98, 0.99]) process.stdout.write(report(`from ${cut}`, (row) => (rows.get(row) ?? 0) >= cut));
}
