import { join } from "node:path";
import { Option } from "commander";
import { loadDomain } from "../../src/engine/domain.ts";
import { createReaderKeeper, createShippedSupport, type ReaderKeeper } from "../../src/engine/local-models.ts";
import { loadEmbeddedEncoder } from "../../src/models/embedded-encoder.ts";
import { HUB_NAME } from "../../src/models/hub/catalog.ts";
import { profileNamed } from "../../src/profiles/index.ts";
import { sourcebound } from "../../src/profiles/sourcebound.ts";
import { type Config, hubFolders } from "../../src/shared/config.ts";
import { RequestError } from "../../src/shared/errors.ts";
import { evaluateRetrieval, RETRIEVAL_SETS } from "../runs/retrieval.ts";
import { chooseCollections, PARTS } from "../sets/collections.ts";
import { EXTRACT_SETS } from "../sets/extract-sets.ts";
import { countOf, type Measure, namesOf, seedOf } from "./measurement.ts";

/** The most used encoder of its kind, and the teacher of our encoder. */
const DEFAULT_HUB_MODEL = "all-MiniLM-L6-v2";
/** Number of questions in a replayed day. */
const DEFAULT_DAY = "5000";

/** Adds evaluations of single stages: retrieval, quotes, decisions, checks, guards and caches. */
export function addPartMeasurements(measure: Measure): void {
  addRetrieval(measure);
  addEvidence(measure);
  addChecks(measure);
  addGuards(measure);
  addCaches(measure);
}

interface RetrievalFlags {
  readonly data: string;
  readonly sets: string;
  readonly limit: string;
  readonly fusions?: boolean;
  readonly hub: string | false;
  readonly models?: string;
  readonly runtime?: string;
  readonly cache?: string;
  readonly peers: boolean;
}

function addRetrieval(measure: Measure): void {
  measure<RetrievalFlags>({
    name: "retrieval",
    description:
      "rankings on public sets: words, dense, hybrid, beside a model of the hub and other libraries; with paired bootstrap intervals",
    options: [
      ["!--data <folder>", "folder of sets, one folder each"],
      ["--sets <names>", "comma-separated", RETRIEVAL_SETS.join(",")],
      ["--limit <n>", "questions of one set at most", "1000"],
      ["--fusions", "compare weights of the hybrid instead"],
      ["--hub <model>", "model of the hub to compare with", DEFAULT_HUB_MODEL],
      ["--no-hub", "without it"],
      ["--models <folder>", "folder of hub models (default: as configured)"],
      ["--runtime <folder>", "folder into which the runtime of hub models was installed (default: as configured)"],
      ["--cache <folder>", "where vectors of the hub model are kept between runs (default: `eval-vectors` in the data folder)"],
      ["--no-peers", "without Orama and MiniSearch"],
    ],
    beside: ["models", "runtime", "cache"],
    examples:
      "  sourcebound eval retrieval --data data --sets va-golden,clapnq\n  sourcebound eval retrieval --data data --models models --cache vectors --json retrieval.json",
    async run({ fusions, peers, hub: model, ...flags }, { config, ...given }) {
      const options = { data: flags.data, sets: namesOf(flags.sets, RETRIEVAL_SETS), limit: countOf(flags.limit, "--limit"), ...given };
      if (model !== false && !HUB_NAME.test(model))
        throw new RequestError("config_invalid", `--hub ${model} is not a name or owner/name of a model.`);
      const { embeddedSystems, fusionSystems, peerSystems } = await import("../runs/retrieval-systems.ts");
      const encoder = loadEmbeddedEncoder();
      if (fusions === true) return evaluateRetrieval({ ...options, systems: fusionSystems(encoder), comparisons: [] });
      const others = peers ? await peerSystems() : [];
      if (model !== false) return besideHub(model, flags, { ...options, config, ours: embeddedSystems(encoder), others });
      return evaluateRetrieval({ ...options, systems: [...embeddedSystems(encoder), ...others], comparisons: [] });
    },
  });
}

type RetrievalOptions = Parameters<typeof evaluateRetrieval>[0];

async function* besideHub(
  model: string,
  { models, runtime, cache: folder }: Pick<RetrievalFlags, "models" | "runtime" | "cache">,
  {
    config,
    ours,
    others,
    ...options
  }: Omit<RetrievalOptions, "systems" | "comparisons"> & {
    readonly config: Config;
    readonly ours: RetrievalOptions["systems"];
    readonly others: RetrievalOptions["systems"];
  },
) {
  const { hubSystemNames, hubSystems, OURS } = await import("../runs/retrieval-systems.ts");
  const { openVectorCache } = await import("../sets/vector-cache.ts");
  const { modelsDir, runtimeDirs } = hubFolders(config);
  const folders = { modelsDir: models ?? modelsDir, runtimeDirs: runtime === undefined ? runtimeDirs : [runtime] };
  const cache = await openVectorCache(folder ?? join(config.data_dir, "eval-vectors"));
  try {
    const hub = await hubSystems(model, { ...folders, cache: cache.embeddings, signal: options.signal });
    const { hybrid, equal } = hubSystemNames(model);
    const comparisons = [hybrid, equal].map((against) => ({ system: OURS, against }));
    yield* evaluateRetrieval({ ...options, systems: [...ours, ...hub, ...others], comparisons });
  } finally {
    await cache.close();
  }
}

function addEvidence(measure: Measure): void {
  measure<{ data: string; sets: string; limit: string; tuning?: boolean }>({
    name: "extract",
    description: "answers built from quotes, on questions whose answers are marked in the documents: how many hold it, in how many words",
    options: [
      ["!--data <folder>", "folder of sets, one folder each"],
      ["--sets <names>", "comma-separated", EXTRACT_SETS.join(",")],
      ["--limit <n>", "questions of one set at most", "1000"],
      ["--tuning", "ask about what the choice of quotes was tuned on, instead of what was kept apart"],
    ],
    examples: "  sourcebound eval extract --data data --sets policyqa,tatqa",
    async run({ data, sets, limit, tuning }, given) {
      const asked = { data, sets: namesOf(sets, EXTRACT_SETS), limit: countOf(limit, "--limit") };
      const { createExtractEvaluation } = await import("../runs/extract.ts");
      return createExtractEvaluation({ ...asked, part: tuning ? "tuning" : "held-out", ...given });
    },
  });
  measure<{ corpus: string; golden: string; data?: string }>({
    name: "conflicts",
    description:
      "contradicting passage pairs found, others flagged; a scan of the corpus to be read; with --data, passages made to contradict",
    options: [
      ["!--corpus <folder>", "folder with `pages/`"],
      ["!--golden <folder>", "folder with va-conflicts*.jsonl"],
      ["--data <folder>", "folder of further sets: policyqa, medquad"],
    ],
    examples: "  sourcebound eval conflicts --golden data/va-golden --corpus data/va-pages",
    run: async (flags, given) => (await import("../runs/conflicts.ts")).evaluateConflicts({ ...flags, ...given }),
  });
}

interface ChecksFlags {
  readonly baseUrl?: string;
  readonly data?: string;
  readonly domain?: string;
  readonly profile: string;
}

const BASE_URL = ["--base-url <url>", "base URL at which `pages/a/b.md` is served as `a/b/`"] as const;

/** Returns the entailment model of a profile's checks; `null` if they use none. */
const supportOf = (profile: string, keeper: ReaderKeeper) =>
  profileNamed(profile).check.support === null ? null : createShippedSupport(keeper);

function addChecks(measure: Measure): void {
  measure<{ file: string; profile: string; uncited?: boolean }>({
    name: "sentences",
    description: "sentences that are false against their quote, and true ones in other words, through every check of a sentence, by kind",
    options: [
      ["!--file <file>", "tab-separated, with the columns domain, kind, title, quote, false, true"],
      ["--profile <name>", "profile whose checks are measured", sourcebound.name],
      ["--uncited", "as a writer that cites nothing writes them, its quote at hand"],
    ],
    examples: "  sourcebound eval sentences --file lab/sets/own/sentences.tsv",
    run: async ({ uncited = false, ...flags }, given) =>
      (await import("../runs/own-sentences.ts")).evaluateOwnSentences({ ...flags, uncited, ...given }),
  });
  measure<ChecksFlags & { corpus?: string; golden?: string }>({
    name: "checks",
    description:
      "faults of golden drafts that the checks catch, faithful drafts that they touch; with --data, true sentences made wrong, and judged answers",
    options: [
      ["--corpus <folder>", "folder with `pages/`"],
      ["--golden <folder>", "folder with va-drafts*.jsonl and va-answerable*.jsonl"],
      BASE_URL,
      ["--data <folder>", "folder of further sets: policyqa, medquad; ragtruth, wice, summedits, begin, halueval, tabfact"],
      ["--domain <name>", "domain pack whose address and hosts apply"],
      ["--profile <name>", "profile whose checks are measured", sourcebound.name],
    ],
    examples: "  sourcebound eval checks --golden data/va-golden --corpus data/va-pages",
    async *run({ domain: name, ...flags }, { config, ...given }) {
      const { evaluateChecks } = await import("../runs/checks.ts");
      const keeper = createReaderKeeper();
      const support = supportOf(flags.profile, keeper);
      yield* evaluateChecks({ ...flags, domain: loadDomain(name ?? config.domain, config.domains_dir), support, ...given });
      await keeper.close();
    },
  });
  measure<{ pages: string; part?: string; names?: string; profile: string }>({
    name: "written",
    description:
      "written answers over the real collections, through every check of a sentence: flagged, caught by kind, AUROC of each check",
    options: [
      ["!--pages <folder>", "folder with NAME/pages/ of the collections"],
      ["--part <part>", `only this part: ${PARTS.join(", ")}`],
      ["--names <names>", "comma-separated: only these collections"],
      ["--profile <name>", "profile whose checks are measured", sourcebound.name],
    ],
    examples:
      "  ./run eval written --pages data/collections --part validation\n  SOURCEBOUND_SUPPORT=model ./run eval written --pages data/collections --names basecamp-policies",
    async *run({ pages, part, names, profile }, { command, config, signal }) {
      const { evaluateCollectionDrafts } = await import("../runs/collection-drafts.ts");
      const { modelsOf, supportOf: configuredSupport } = await import("../../src/engine/open.ts");
      const keeper = createReaderKeeper();
      const support = configuredSupport(config, modelsOf(config)).support ?? supportOf(profile, keeper);
      yield* evaluateCollectionDrafts({ names: chooseCollections(part, names), pages, profile, support, command, signal });
      await keeper.close();
    },
  });
  measure<ChecksFlags & { corpus: string; golden: string }>({
    name: "mutations",
    description: "good sentences made wrong in one way each: what every layer of the checks kills, alone and at all, and its false alarms",
    options: [
      ["!--corpus <folder>", "folder with `pages/`"],
      ["!--golden <folder>", "folder with va-drafts*.jsonl and va-answerable*.jsonl"],
      BASE_URL,
      ["--data <folder>", "folder with policyqa/, for sentences of other texts"],
      ["--domain <name>", "domain pack whose address, hosts and contacts apply"],
      ["--profile <name>", "profile whose checks are measured", sourcebound.name],
    ],
    async run({ domain: name, ...flags }, { config, command }) {
      const { evaluateMutatedAnswers } = await import("../runs/mutated-answers.ts");
      const domain = loadDomain(name ?? config.domain, config.domains_dir);
      const keeper = createReaderKeeper();
      const report = await evaluateMutatedAnswers({ ...flags, domain, support: supportOf(flags.profile, keeper), command });
      await keeper.close();
      return report;
    },
  });
}

function addGuards(measure: Measure): void {
  measure<{ data: string }>({
    name: "pii",
    description: "personal data found and false alarms by kind, on labelled sentences",
    options: [["!--data <folder>", "folder with synth_dataset*.jsonl, or with pii-presidio/"]],
    run: async (flags, given) => (await import("../runs/pii.ts")).evaluatePii({ ...flags, ...given }),
  });
  measure<{ data: string; corpus?: string }>({
    name: "injection",
    description: "orders in documents and questions caught, and benign text blocked",
    options: [
      ["!--data <folder>", "folder with prompts*.jsonl, or with prompt-injection/"],
      ["--corpus <folder>", "folder with `pages/` whose sentences must not be blocked"],
    ],
    run: async ({ data, corpus }, { command }) => (await import("../runs/injection.ts")).evaluateInjection({ data, corpus, command }),
  });
}

interface CacheFlags {
  readonly corpus: string;
  readonly golden: string;
  readonly data?: string;
  readonly domain?: string;
  readonly questions: string;
  readonly seed: string;
}

function addCaches(measure: Measure): void {
  measure<CacheFlags>({
    name: "graph",
    description:
      "wrong answers that a cache by similarity alone would serve on a made day, and one that also asks for a topic and an entity in common",
    options: [
      ["!--corpus <folder>", "folder with `pages/`"],
      ["!--golden <folder>", "folder with va-pairs*.jsonl"],
      ["--data <folder>", "folder of further sets: banking77, covid-qa"],
      ["--domain <name>", "domain pack whose topics and entities apply"],
      ["--questions <n>", "of the day", "1000"],
      ["--seed <n>", "of the day", "1"],
    ],
    examples: "  sourcebound eval graph --golden data/va-golden --corpus data/va-pages --domain veterans",
    async run({ questions, seed, ...flags }, given) {
      const numbers = { questions: countOf(questions, "--questions"), seed: seedOf(seed) };
      return (await import("../runs/graph.ts")).evaluateGraph({ ...flags, ...numbers, ...given });
    },
  });
  measure<CacheFlags & { baseUrl?: string; profile?: string; day?: string; approved: string; scriptedModel?: true }>({
    name: "cache",
    description: "which questions share a cached answer: golden pairs through the whole engine; with --day, a replayed day",
    options: [
      ["!--corpus <folder>", "folder with `pages/`"],
      ["!--golden <folder>", "folder with va-pairs*.jsonl"],
      ["--data <folder>", "of the day: folder of further sets: banking77, covid-qa"],
      BASE_URL,
      ["--domain <name>", "domain pack whose vocabulary applies"],
      ["--profile <name>", "profile whose retrieval is used"],
      new Option("--day [n]", `instead: a day of so many questions with documents edited meanwhile, ${DEFAULT_DAY} unless said`).preset(
        DEFAULT_DAY,
      ),
      ["--seed <n>", "of the day", "1"],
      ["--approved <share>", "of the day: share of stored answers that a person approves, 0 to 1", "0"],
      ["--scripted-model", "of the day: a model of this process writes, so that there are tokens to save"],
    ],
    examples:
      "  sourcebound eval cache --golden data/va-golden --corpus data/va-pages\n  sourcebound eval cache --golden data/va-golden --corpus data/va-pages --data data --day",
    async run({ day, seed, approved, scriptedModel = false, ...flags }, given) {
      if (day === undefined) return (await import("../runs/cache.ts")).evaluateCache({ ...flags, ...given });
      const numbers = { questions: countOf(day, "--day"), seed: seedOf(seed), approved: Number(approved) };
      if (!/^(?:0|1|0?\.\d{1,3})$/.test(approved))
        throw new RequestError("config_invalid", `--approved ${approved} is no share: give 0 to 1.`);
      return (await import("../runs/day.ts")).evaluateDay({ ...flags, ...given, ...numbers, scriptedModel });
    },
  });
}
