import { readdirSync } from "node:fs";
import { type Command, Option } from "commander";
import { type CliContext, pathOf } from "../../src/cli/context.ts";
import { configOf } from "../../src/cli/open.ts";
import { RequestError } from "../../src/errors.ts";
import { type ChosenFolders, chooseGoldenSets } from "../../src/grade/choose-golden-sets.ts";
import { unpackSets } from "../sets/unpack-sets.ts";
import { showEvaluation } from "./show-evaluation.ts";

interface SetsFlags {
  data?: string;
  domains?: string;
  json?: string;
}

/** Who writes when profiles are measured. */
const WRITERS = ["own-words", "configured"] as const;

interface ProfileFlags {
  profiles?: string;
  writer: string;
  questions: string;
  read?: string;
}

/** Measuring on what golden sets hold beside their questions, and on questions of other people. */
export function addEvalSetsCommands(evaluate: Command, context: CliContext): void {
  const overSets = (name: string, description: string) =>
    evaluate
      .command(name)
      .description(description)
      .addOption(new Option("--data <folder>", "folder of sets: golden/NAME, or NAME-pages with NAME-golden").env("SOURCEBOUND_DATA"))
      .option("--domains <names>", "comma-separated: only these sets")
      .option("--json <file>", "write the whole report");

  evaluate
    .command("doc2dial")
    .description(
      "questions of dialogues with agencies: is the span that grounds the answer quoted, are they refused without the agency's pages",
    )
    .addOption(new Option("--data <folder>", "folder with doc2dial/").env("SOURCEBOUND_DATA"))
    .option("--questions <n>", "asked at most", "300")
    .option("--seed <n>", "of their choice", "1")
    .option("--json <file>", "write the whole report")
    .addHelpText("after", "\nExample:\n  sourcebound eval doc2dial --data data --questions 916")
    .action(async ({ data, questions, seed, json }: SetsFlags & { questions: string; seed: string }, command: Command) => {
      const { evaluateDoc2dial } = await import("../runs/doc2dial.ts");
      const folder = given(data);
      const line = `eval doc2dial --data ${folder} --questions ${questions} --seed ${seed}`;
      const options = { data: folder, limit: whole(questions, "--questions"), seed: whole(seed, "--seed"), command: line };
      await showEvaluation(
        evaluateDoc2dial({ ...options, config: configOf(context, command, {}, { domain: "veterans" }), signal: context.signal }),
        json,
        context,
      );
    });

  evaluate
    .command("replays")
    .description(
      "answers of a pack under every key-free profile, replayed after a restart; the folder stays, so that another Node.js can replay them",
    )
    .requiredOption("--folder <folder>", "of the installation, new or of an earlier run")
    .option("--domain <name>", "pack whose questions are asked", "retail")
    .option("--answers <n>", "asked where the folder is new", "500")
    .option("--json <file>", "write the whole report")
    .addHelpText("after", "\nExample:\n  sourcebound eval replays --folder /tmp/replays --answers 500")
    .action(
      async ({ folder, domain, answers, json }: { folder: string; domain: string; answers: string; json?: string }, command: Command) => {
        const { evaluateReplays } = await import("../runs/replays.ts");
        const line = `eval replays --domain ${domain} --answers ${answers} --folder ${folder}`;
        const options = { folder: pathOf(context, folder), domain, n: whole(answers, "--answers"), command: line };
        await showEvaluation(evaluateReplays({ ...options, config: configOf(context, command), signal: context.signal }), json, context);
      },
    );

  overSets("selected", "questions about a selected part of a document: right, refused, nothing quoted from outside")
    .option("--profile <name>", "profile to measure")
    .option("--random <n>", "instead: random parts of random documents, a question of the set each; is anything shown from outside?")
    .option("--seed <n>", "of the random parts", "1")
    .action(async (flags: SetsFlags & { profile?: string; random?: string; seed: string }, command: Command) => {
      const sets = setsWith(flags, /^(?:.*-)?selected-text.*\.jsonl$/);
      if (flags.random !== undefined) {
        const { evaluateRandomSelections } = await import("../runs/random-selections.ts");
        const profile = flags.profile === undefined ? "" : ` --profile ${flags.profile}`;
        const line = `${lineOf("selected", flags)} --random ${flags.random} --seed ${flags.seed}${profile}`;
        const numbers = { count: whole(flags.random, "--random"), seed: whole(flags.seed, "--seed") };
        const config = configOf(context, command, {}, { domain: "veterans" });
        const events = evaluateRandomSelections({
          sets,
          ...numbers,
          profile: flags.profile,
          config,
          command: line,
          signal: context.signal,
        });
        await showEvaluation(events, flags.json, context);
        return;
      }
      const { evaluateSelected } = await import("../runs/selected.ts");
      const options = {
        sets,
        config: configOf(context, command, {}, { domain: "veterans" }),
        profile: flags.profile,
        command: `${lineOf("selected", flags)}${flags.profile === undefined ? "" : ` --profile ${flags.profile}`}`,
        signal: context.signal,
      };
      await showEvaluation(evaluateSelected(options), flags.json, context);
    });

  overSets("pairs", "pairs of questions through the whole engine: which share an answer, which must not").action(
    async (flags: SetsFlags, command: Command) => {
      const { evaluateGoldenPairs } = await import("../runs/golden-pairs.ts");
      const sets = setsWith(flags, /^(?:.*-)?pairs.*\.jsonl$/);
      const options = {
        sets,
        config: configOf(context, command, {}, { domain: "veterans" }),
        command: lineOf("pairs", flags),
        signal: context.signal,
      };
      await showEvaluation(evaluateGoldenPairs(options), flags.json, context);
    },
  );

  overSets("scans", "contradictions that a scan of each set's documents finds, some of them to be read")
    .option("--sample <n>", "printed of each set: half of them the most certain", "12")
    .option("--seed <n>", "of the sample", "1")
    .action(async ({ sample, seed, ...flags }: SetsFlags & { sample: string; seed: string }, command: Command) => {
      const { evaluateScans } = await import("../runs/scans.ts");
      const sets = chooseGoldenSets(given(flags.data), flags.domains);
      const numbers = { sample: whole(sample, "--sample"), seed: whole(seed, "--seed") };
      const line = `${lineOf("scans", flags)} --sample ${sample} --seed ${seed}`;
      const options = {
        sets,
        ...numbers,
        config: configOf(context, command, {}, { domain: "veterans" }),
        command: line,
        signal: context.signal,
      };
      await showEvaluation(evaluateScans(options), flags.json, context);
    });

  overSets(
    "drafts",
    "sentences of gold quotes, as they are and made wrong in one way each, through `check`: caught by kind, faithful touched",
  )
    .option("--seed <n>", "of what is changed", "1")
    .action(async ({ seed, ...flags }: SetsFlags & { seed: string }) => {
      const { evaluateMadeDrafts } = await import("../runs/made-drafts.ts");
      const sets = chooseGoldenSets(given(flags.data), flags.domains);
      const options = { sets, seed: whole(seed, "--seed"), command: `${lineOf("drafts", flags)} --seed ${seed}`, signal: context.signal };
      await showEvaluation(evaluateMadeDrafts(options), flags.json, context);
    });

  overSets(
    "faithfulness",
    "the faithfulness metric of `validator`: made and written drafts passed and failed, thresholds chosen on half of the sets",
  )
    .option("--seed <n>", "of what is changed", "1")
    .action(async ({ seed, ...flags }: SetsFlags & { seed: string }, command: Command) => {
      const { evaluateFaithfulness } = await import("../runs/faithfulness.ts");
      const options = {
        sets: chooseGoldenSets(given(flags.data), flags.domains),
        seed: whole(seed, "--seed"),
        config: configOf(context, command, {}, { domain: "veterans" }),
        command: `${lineOf("faithfulness", flags)} --seed ${seed}`,
        signal: context.signal,
      };
      await showEvaluation(evaluateFaithfulness(options), flags.json, context);
    });

  overSets(
    "relevancy",
    "the relevancy metric of `validator`: answers to a question and to another one, thresholds chosen on half of the sets",
  ).action(async (flags: SetsFlags) => {
    const { evaluateRelevancy } = await import("../runs/relevancy.ts");
    const sets = chooseGoldenSets(given(flags.data), flags.domains);
    await showEvaluation(evaluateRelevancy(sets, lineOf("relevancy", flags)), flags.json, context);
  });

  overSets(
    "topics",
    "is a question about what the documents hold? the chance by which `book` refuses, thresholds chosen on half of the sets",
  ).action(async (flags: SetsFlags, command: Command) => {
    const { evaluateTopics } = await import("../runs/topics.ts");
    const options = {
      sets: chooseGoldenSets(given(flags.data), flags.domains),
      config: configOf(context, command, {}, { domain: "veterans" }),
      command: lineOf("topics", flags),
      signal: context.signal,
    };
    await showEvaluation(evaluateTopics(options), flags.json, context);
  });

  overSets(
    "guard",
    "the two thresholds of `spark` with the reader and the learned chance in the cross-encoder's place: from where what its source says of them holds",
  ).action(async (flags: SetsFlags, command: Command) => {
    const { evaluateGuard } = await import("../runs/guard.ts");
    const options = {
      sets: chooseGoldenSets(given(flags.data), flags.domains),
      config: configOf(context, command, {}, { domain: "veterans" }),
      command: lineOf("guard", flags),
      signal: context.signal,
    };
    await showEvaluation(evaluateGuard(options), flags.json, context);
  });

  overSets(
    "profiles",
    "every profile on questions of its kind of documents: outcomes, prompt sizes, and what its source claims beside ours",
  )
    .option("--profiles <names>", "comma-separated: only these")
    .option("--writer <kind>", "`own-words`: right answers in a person's words; `configured`: the model of the configuration", "own-words")
    .option("--questions <n>", "asked at most of each profile", "150")
    .option("--read <file>", "write every sentence of the writer beside what it cites, as Markdown to be read")
    .action(async (flags: SetsFlags & ProfileFlags, command: Command) => {
      const { evaluateProfiles } = await import("../runs/profiles/evaluate.ts");
      const { profiles, writer, questions, read } = flags;
      const kind = WRITERS.find((one) => one === writer);
      if (kind === undefined) throw new RequestError("config_invalid", `--writer ${writer} is not known: use ${WRITERS.join(" or ")}.`);
      const line = [
        lineOf("profiles", flags),
        ...(profiles === undefined ? [] : [`--profiles ${profiles}`]),
        `--writer ${writer} --questions ${questions}`,
      ].join(" ");
      const options = {
        data: given(flags.data),
        profiles: profiles?.split(","),
        domains: flags.domains,
        questions: whole(questions, "--questions"),
        config: configOf(context, command, {}, { domain: "veterans" }),
        ...{ writer: kind, read, command: line, signal: context.signal },
      };
      await showEvaluation(evaluateProfiles(options), flags.json, context);
    });
}

/** Sets with a file of such a name; all that were named must have one. */
function setsWith(flags: SetsFlags, pattern: RegExp): (ChosenFolders & { files: string[] })[] {
  const sets = chooseGoldenSets(given(flags.data), flags.domains).map((set) => ({
    ...set,
    files: readdirSync(set.golden).filter((name) => pattern.test(name)),
  }));
  const held = sets.filter(({ files }) => files.length > 0);
  const lacking = flags.domains === undefined ? held.length === 0 : held.length < sets.length;
  if (!lacking) return held;
  const names = sets.flatMap(({ name, files }) => (files.length === 0 ? [name] : []));
  throw new RequestError(
    "golden_missing",
    `No file of the kind that is asked for (${pattern.source}) stands in the sets ${names.join(", ")}.`,
  );
}

function given(data: string | undefined): string {
  if (data !== undefined) return unpackSets(data);
  throw new RequestError("config_invalid", "There is nothing to ask: give the folder of sets with --data or SOURCEBOUND_DATA.");
}

function whole(text: string, option: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new RequestError("config_invalid", `${option} ${text} is no whole number: see --help.`);
}

function lineOf(name: string, { data, domains }: SetsFlags): string {
  return [
    `eval ${name}`,
    ...(data === undefined ? [] : [`--data ${data}`]),
    ...(domains === undefined ? [] : [`--domains ${domains}`]),
  ].join(" ");
}
