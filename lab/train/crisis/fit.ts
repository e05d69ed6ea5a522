import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { z } from "zod";
import { openSharedReader } from "../../../src/cross-encoder/create-reader.ts";
import type { TextReading } from "../../../src/cross-encoder/reader.ts";
import { asksAnything, createCrisisFinder } from "../../../src/guard/hotlines.ts";
import { messageFeatures, piecesOf } from "../../../src/guard/message-features.ts";
import { loadEmbeddedEncoder } from "../../../src/models/embedded-encoder.ts";
import { probabilityOf } from "../../../src/models/weights/scorer.ts";
import { PACKAGE_ROOT } from "../../../src/package.ts";
import { unpackSets } from "../../sets/unpack-sets.ts";
import { fitLogistic, type LogisticModel, probability } from "../logistic.ts";

/**
 * Fits the crisis classifier, its first stage and its second stage on the cross-encoder's vector, on the cases in this folder, and reports
 * both by cross-validation over families.
 */
const { values } = parseArgs({
  options: {
    data: { type: "string", default: process.env.SOURCEBOUND_DATA ?? "" },
    weights: { type: "string" },
    /** Maximum number of cases, everyday utterances and questions, for a quick test. @default all */
    few: { type: "string" },
  },
});
const say = (line: string) => process.stdout.write(`${line}\n`);
const FOLDS = values.few === undefined ? 7 : 3;
/** Number of everyday utterances from public sets, as additional negatives. */
const EVERYDAY = 1500;
/** Inverse of the share of questions from our collections used as negatives. */
const ASKED_OF = 3;
/** Training settings: the first stage has hashed words besides its vector and stops early; the second stage is trained to convergence. */
const GLANCE = { epochs: 250, rate: 0.5, l2: 3e-5 };
const READ = { epochs: 2_000, rate: 5, l2: 6e-5 };
/** Thresholds for each label, and for running the second stage, chosen on held-out families. */
const CUTS = { glance: { possible: 0.6, likely: 0.9 }, read: { possible: 0.45, likely: 0.9 } };
const READ_FROM = 0.1;

interface Text {
  readonly family: string;
  readonly crisis: boolean;
  readonly text: string;
}
interface Case extends Text {
  readonly glance: readonly number[];
  readonly read: readonly number[];
}
type View = "glance" | "read";

const schema = z.object({ family: z.string(), crisis: z.boolean(), text: z.string() });
const lines = (path: string) =>
  readFileSync(path, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line): unknown => JSON.parse(line));

const encoder = loadEmbeddedEncoder();
const reader = openSharedReader();
async function withFeatures(texts: readonly Text[]): Promise<Case[]> {
  const readings = await reader.read(texts.map(({ text }) => text));
  return texts.map((one, i) => ({
    ...one,
    glance: Array.from(messageFeatures(one.text, encoder.embedSync([one.text])[0] as Float32Array)),
    read: Array.from((readings[i] as TextReading).vector),
  }));
}

/** Takes items at even intervals if `--few` is given. */
function fewOf<T>(all: readonly T[]): readonly T[] {
  const step = values.few === undefined ? 1 : Math.ceil(all.length / Number(values.few));
  return all.filter((_, i) => i % step === 0);
}

function everyday(): Text[] {
  const path = join(values.data, "clinc150", "clinc150.jsonl");
  if (values.data === "" || !existsSync(path)) {
    process.stderr.write("clinc150 is not there (--data DIR): fitted on our own cases alone\n");
    return [];
  }
  const texts = lines(path).map((line) => z.looseObject({ text: z.string() }).parse(line).text);
  const step = Math.max(1, Math.floor(texts.length / EVERYDAY));
  return fewOf(texts.filter((_, i) => i % step === 0)).map((text, i) => ({ family: `everyday-${i % FOLDS}`, crisis: false, text }));
}

/** Returns questions on the written collections, split into pieces as the classifier does; those of one collection are in one fold. */
function asked(): Text[] {
  const folders = globSync(join(unpackSets(join(SETS, "written")), "*", "answerable-dev.jsonl")).sort();
  const texts = folders.flatMap((file, fold) =>
    questionsIn(join(file, "..", "*able-dev.jsonl"))
      .filter((_, i) => i % ASKED_OF === 0)
      .flatMap(piecesOf)
      .map((text) => ({ family: `asked-${fold % FOLDS}`, crisis: false, text })),
  );
  return [...fewOf(texts)];
}

const SETS = join(PACKAGE_ROOT, "lab", "sets");
/** Questions used only for reporting how many would show the hotline. */
const UNSEEN = fewOf(questionsIn(join(unpackSets(join(SETS, "strangers")), "*", "*able-dev.jsonl")));

function questionsIn(pattern: string): string[] {
  const rows = globSync(pattern).sort().flatMap(lines);
  return rows.map((line) => z.looseObject({ question: z.string() }).parse(line).question);
}

const fitModel = (given: readonly Case[], view: View) =>
  fitLogistic(
    given.map(({ [view]: features, crisis }) => ({ features, positive: crisis })),
    view === "glance" ? GLANCE : READ,
  );

const rounded = (value: number) => Math.round(value * 1000) / 1000;

const own = await withFeatures(fewOf(lines(join(PACKAGE_ROOT, "lab", "train", "crisis", "cases.jsonl"))).map((line) => schema.parse(line)));
const other = await withFeatures([...everyday(), ...asked()]);

interface Seen extends Text {
  readonly glance: number;
  readonly read: number;
}
const seenBy = (models: Readonly<Record<View, LogisticModel>>, { family, crisis, text, glance, read }: Case): Seen => ({
  family,
  crisis,
  text,
  glance: probability(models.glance, glance),
  read: probability(models.read, read),
});
const learn = (given: readonly Case[]) => ({ glance: fitModel(given, "glance"), read: fitModel(given, "read") });

const families = [...new Set(own.map(({ family }) => family))];
const heldOut: Seen[] = [];
for (let fold = 0; fold < FOLDS; fold++) {
  const isOut = ({ family }: Text) => families.indexOf(family) % FOLDS === fold || family.endsWith(`-${fold}`);
  const rows = [...own, ...other];
  const models = learn(rows.filter((row) => !isOut(row)));
  heldOut.push(...rows.filter(isOut).map((row) => seenBy(models, row)));
}
const models = learn([...own, ...other]);
const written = ({ weights, bias }: LogisticModel) => ({ bias: rounded(bias), linear: [...weights].map(rounded) });
const file = {
  encoder: encoder.id,
  reader: reader.weights,
  recipe: "lab/train/crisis/fit.ts",
  glance: { read_from: READ_FROM, cuts: CUTS.glance, ...written(models.glance) },
  read: { cuts: CUTS.read, ...written(models.read) },
};

const share = (rows: readonly Seen[], passes: (row: Seen) => boolean) => `${rows.filter(passes).length} of ${rows.length}`;
const groups = {
  found: heldOut.filter(({ crisis }) => crisis),
  "near misses": heldOut.filter(({ crisis, family }) => !crisis && families.includes(family)),
  everyday: heldOut.filter(({ family }) => family.startsWith("everyday-")),
  asked: heldOut.filter(({ family }) => family.startsWith("asked-")),
};
const sayShares = (what: string, passes: (row: Seen) => boolean) =>
  say(
    `${what}: ${Object.entries(groups)
      .map(([name, rows]) => `${name} ${share(rows, passes)}`)
      .join("; ")}`,
  );
for (const at of [0.05, 0.1, 0.2, 0.6, 0.9]) sayShares(`glance from ${at}`, ({ glance }) => glance >= at);
for (const at of [0.3, 0.4, 0.45, 0.5, 0.7, 0.9]) sayShares(`read from ${at}`, ({ read }) => read >= at);
for (const [name, at] of Object.entries(CUTS.read))
  sayShares(`glance from ${READ_FROM}, ${name} (read from ${at})`, ({ glance, read }) => glance >= READ_FROM && read >= at);
for (const family of families) {
  const rows = heldOut.filter((row) => row.family === family);
  const at = (cut: number) => share(rows, ({ read }) => read >= cut);
  say(
    `${rows[0]?.crisis ? "crisis" : "other "} ${family.padEnd(14)} read from ${CUTS.read.possible}: ${at(CUTS.read.possible)}, from ${CUTS.read.likely}: ${at(CUTS.read.likely)}`,
  );
}

const find = createCrisisFinder({
  firstStage: { probability: (features) => probabilityOf(features, file.glance), readFrom: READ_FROM, cuts: CUTS.glance },
  read: { probability: (vector) => probabilityOf(vector, file.read), cuts: CUTS.read },
  encoder,
  reader: (texts) => reader.read(texts),
});
const found = { no: 0, possible: 0, likely: 0, alone: 0 };
for (const message of UNSEEN) {
  const crisis = await find(message);
  found[crisis]++;
  if (crisis === "likely" || (crisis === "possible" && !asksAnything(message))) found.alone++;
}
say(
  `strangers, as the program asks: hotline shown for ${found.possible + found.likely} of ${UNSEEN.length}, nothing beneath for ${found.alone}`,
);
await reader.close();
if (values.weights !== undefined) writeFileSync(values.weights, `${JSON.stringify(file)}\n`);
