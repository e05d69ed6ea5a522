import type { Command } from "commander";
import { type CliContext, pathOf } from "../../src/cli/context.ts";
import { RequestError } from "../../src/shared/errors.ts";
import { addPartMeasurements } from "./eval-parts.ts";
import { countOf, createMeasure, dataOf, type Measure, SETS, type SetsFlags, seedOf, setsOf, setsWith } from "./measurement.ts";

const EXAMPLE = "  sourcebound eval va --corpus data/va-pages --golden data/va-golden --json va.json";

/** Adds evaluations on the lab's sets to those on golden sets. */
export function addMeasurements(evaluate: Command, context: CliContext): void {
  evaluate.addHelpText("after", `\nExample:\n${EXAMPLE}`);
  const measure = createMeasure(evaluate, context);
  addOverSets(measure, context);
  addPartMeasurements(measure);
  addConversations(measure);
  addVa(measure);
}

interface VaFlags {
  readonly corpus: string;
  readonly golden: string;
  readonly baseUrl?: string;
  readonly profile?: string;
  readonly domain?: string;
}

function addVa(measure: Measure): void {
  measure<VaFlags>({
    name: "va",
    description: "pages found, key values, refusals on a golden set over a folder of pages",
    options: [
      ["!--corpus <folder>", "folder with `pages/`"],
      ["!--golden <folder>", "folder with va-answerable*.jsonl and va-unanswerable*.jsonl"],
      ["--base-url <url>", "base URL at which `pages/a/b.md` is served as `a/b/`"],
      ["--domain <name>", "domain pack whose vocabulary applies"],
      ["--profile <name>", "profile to measure"],
    ],
    examples: EXAMPLE,
    run: async (flags, given) => (await import("../runs/va.ts")).evaluateVa({ ...flags, ...given }),
  });
  measure<VaFlags>({
    name: "typos",
    description: "pages found for golden questions as written and with seeded typos, with and without spelling repair",
    options: [
      ["!--corpus <folder>", "folder with `pages/`"],
      ["!--golden <folder>", "folder with va-answerable*.jsonl"],
      ["--domain <name>", "domain pack whose vocabulary applies"],
      ["--profile <name>", "profile to measure"],
    ],
    run: async (flags, given) => (await import("../runs/typos.ts")).evaluateTypos({ ...flags, ...given }),
  });
}

function addConversations(measure: Measure): void {
  measure<{ data: string }>({
    name: "follow-ups",
    description: "retrieval for follow-up questions: as asked, with all history, rewritten by us, rewritten by people",
    options: [["!--data <folder>", "folder with canard*.jsonl"]],
    run: async (flags, given) => (await import("../runs/follow-ups.ts")).evaluateFollowUps({ ...flags, ...given }),
  });
  measure<{ data: string }>({
    name: "several",
    description: "messages that ask several things: each answered with the words that answer it, or said not to be",
    options: [["!--data <folder>", "folder that holds several/*.jsonl and the collections that they are about, strangers/"]],
    pack: null,
    run: async (flags, given) => (await import("../runs/several.ts")).evaluateSeveral({ ...flags, ...given }),
  });
  measure<{ data: string }>({
    name: "contradictions",
    description: "pages that contradict each other, or look like it: what is said of them beside an answer",
    options: [["!--data <folder>", "folder that holds contradictions/held-out.jsonl"]],
    pack: null,
    run: async (flags, given) => (await import("../runs/contradictions.ts")).evaluateContradictions({ ...flags, ...given }),
  });
  measure<{ data: string }>({
    name: "dialogs",
    description: "the second question of a conversation: answered with the words that answer it, refused where nothing does",
    options: [["!--data <folder>", "folder that holds follow-ups/*.jsonl and the collections that they are about, strangers/"]],
    pack: null,
    run: async (flags, given) => (await import("../runs/dialogs.ts")).evaluateDialogs({ ...flags, ...given }),
  });
}

/** Writers for the evaluation of profiles. */
const WRITERS = ["own-words", "configured"] as const;

/** Adds evaluations on golden sets and on questions of other people. */
function addOverSets(measure: Measure, context: CliContext): void {
  const seed = ["--seed <n>", "of what is changed", "1"] as const;
  measure<SetsFlags & { questions: string; seed: string }>({
    name: "doc2dial",
    description:
      "questions of dialogues with agencies: is the span that grounds the answer quoted, are they refused without the agency's pages",
    options: [SETS[0], ["--questions <n>", "asked at most", "300"], ["--seed <n>", "of their choice", "1"]],
    examples: "  sourcebound eval doc2dial --data data --questions 916",
    async run(flags, given) {
      const { evaluateDoc2dial } = await import("../runs/doc2dial.ts");
      return evaluateDoc2dial({ data: dataOf(flags), limit: countOf(flags.questions, "--questions"), ...given, seed: seedOf(flags.seed) });
    },
  });
  measure<{ folder: string; domain: string; answers: string }>({
    name: "replays",
    description:
      "answers of a pack under every key-free profile, replayed after a restart; the folder stays, so that another Node.js can replay them",
    options: [
      ["!--folder <folder>", "of the installation, new or of an earlier run"],
      ["--domain <name>", "pack whose questions are asked", "retail"],
      ["--answers <n>", "asked where the folder is new", "500"],
    ],
    pack: null,
    examples: "  sourcebound eval replays --folder /tmp/replays --answers 500",
    async run({ folder, domain, answers }, given) {
      const { evaluateReplays } = await import("../runs/replays.ts");
      return evaluateReplays({ folder: pathOf(context, folder), domain, n: countOf(answers, "--answers"), ...given });
    },
  });
  measure<SetsFlags & { profile?: string; random?: string; seed: string }>({
    name: "selected",
    description: "questions about a selected part of a document: right, refused, nothing quoted from outside",
    options: [
      ...SETS,
      ["--profile <name>", "profile to measure"],
      ["--random <n>", "instead: random parts of random documents, a question of the set each; is anything shown from outside?"],
      ["--seed <n>", "of the random parts", "1"],
    ],
    async run({ profile, random, ...flags }, given) {
      const sets = setsWith(flags, /^(?:.*-)?selected-text.*\.jsonl$/);
      if (random === undefined) return (await import("../runs/selected.ts")).evaluateSelected({ sets, profile, ...given });
      const { evaluateRandomSelections } = await import("../runs/random-selections.ts");
      return evaluateRandomSelections({ sets, count: countOf(random, "--random"), seed: seedOf(flags.seed), profile, ...given });
    },
  });
  measure<SetsFlags>({
    name: "pairs",
    description: "pairs of questions through the whole engine: which share an answer, which must not",
    options: SETS,
    async run(flags, given) {
      const { evaluateGoldenPairs } = await import("../runs/golden-pairs.ts");
      return evaluateGoldenPairs({ sets: setsWith(flags, /^(?:.*-)?pairs.*\.jsonl$/), ...given });
    },
  });
  measure<SetsFlags & { sample: string; seed: string }>({
    name: "scans",
    description: "contradictions that a scan of each set's documents finds, some of them to be read",
    options: [...SETS, ["--sample <n>", "printed of each set: half of them the most certain", "12"], ["--seed <n>", "of the sample", "1"]],
    async run(flags, given) {
      const { evaluateScans } = await import("../runs/scans.ts");
      return evaluateScans({ sets: setsOf(flags), sample: countOf(flags.sample, "--sample"), seed: seedOf(flags.seed), ...given });
    },
  });
  measure<SetsFlags & { seed: string }>({
    name: "drafts",
    description: "sentences of gold quotes, as they are and made wrong in one way each, through `check`: caught by kind, faithful touched",
    options: [...SETS, seed],
    async run(flags, given) {
      return (await import("../runs/made-drafts.ts")).evaluateMadeDrafts({ sets: setsOf(flags), ...given, seed: seedOf(flags.seed) });
    },
  });
  measure<SetsFlags & { seed: string }>({
    name: "faithfulness",
    description: "the faithfulness metric of `validator`: made and written drafts passed and failed, thresholds chosen on half of the sets",
    options: [...SETS, seed],
    async run(flags, given) {
      return (await import("../runs/faithfulness.ts")).evaluateFaithfulness({ sets: setsOf(flags), ...given, seed: seedOf(flags.seed) });
    },
  });
  measure<SetsFlags>({
    name: "relevancy",
    description: "the relevancy metric of `validator`: answers to a question and to another one, thresholds chosen on half of the sets",
    options: SETS,
    run: async (flags, { command }) => (await import("../runs/relevancy.ts")).evaluateRelevancy(setsOf(flags), command),
  });
  measure<SetsFlags>({
    name: "topics",
    description: "is a question about what the documents hold? the chance by which `book` refuses, thresholds chosen on half of the sets",
    options: SETS,
    run: async (flags, given) => (await import("../runs/topics.ts")).evaluateTopics({ sets: setsOf(flags), ...given }),
  });
  measure<SetsFlags>({
    name: "guard",
    description:
      "the two thresholds of `spark` with the reader and the learned chance in the cross-encoder's place: from where what its source says of them holds",
    options: SETS,
    run: async (flags, given) => (await import("../runs/guard.ts")).evaluateGuard({ sets: setsOf(flags), ...given }),
  });
  measure<SetsFlags & { profiles?: string; writer: string; questions: string; read?: string }>({
    name: "profiles",
    description: "every profile on questions of its kind of documents: outcomes, prompt sizes, and what its source claims beside ours",
    options: [
      ...SETS,
      ["--profiles <names>", "comma-separated: only these"],
      ["--writer <kind>", "`own-words`: right answers in a person's words; `configured`: the model of the configuration", "own-words"],
      ["--questions <n>", "asked at most of each profile", "150"],
      ["--read <file>", "write every sentence of the writer beside what it cites, as Markdown to be read"],
    ],
    beside: ["read"],
    async run({ profiles, writer: kind, questions, read, ...flags }, given) {
      const { evaluateProfiles } = await import("../runs/profiles/evaluate.ts");
      const writer = WRITERS.find((one) => one === kind);
      if (writer === undefined) throw new RequestError("config_invalid", `--writer ${kind} is not known: use ${WRITERS.join(" or ")}.`);
      const asked = { profiles: profiles?.split(","), domains: flags.domains, questions: countOf(questions, "--questions") };
      return evaluateProfiles({ data: dataOf(flags), ...asked, writer, read, ...given });
    },
  });
}
