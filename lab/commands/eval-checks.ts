import type { Command } from "commander";
import type { CliContext } from "../../src/cli/context.ts";
import { configOf } from "../../src/cli/open.ts";
import { loadDomain } from "../../src/engine/domain.ts";
import { profileNamed } from "../../src/profiles/index.ts";
import { sourcebound } from "../../src/profiles/sourcebound.ts";
import { chooseCollections, PARTS } from "../sets/collections.ts";
import { showEvaluation } from "./show-evaluation.ts";

interface ChecksFlags {
  corpus?: string;
  golden?: string;
  baseUrl?: string;
  data?: string;
  domain?: string;
  profile: string;
  json?: string;
}

export function addEvalChecksCommand(evaluate: Command, context: CliContext): void {
  addSentences(evaluate, context);
  addWritten(evaluate, context);
  evaluate
    .command("checks")
    .description(
      "faults of golden drafts that the checks catch, faithful drafts that they touch; with --data, true sentences made wrong, and judged answers",
    )
    .option("--corpus <folder>", "folder with `pages/`")
    .option("--golden <folder>", "folder with va-drafts*.jsonl and va-answerable*.jsonl")
    .option("--base-url <url>", "address under which `pages/a/b.md` is served as `a/b/`")
    .option("--data <folder>", "folder of further sets: policyqa, medquad; ragtruth, wice, summedits, begin, halueval, tabfact")
    .option("--domain <name>", "domain pack whose address and hosts apply")
    .option("--profile <name>", "profile whose checks are measured", sourcebound.name)
    .option("--json <file>", "write the whole report")
    .addHelpText("after", "\nExample:\n  sourcebound eval checks --golden data/va-golden --corpus data/va-pages")
    .action(async ({ json, domain: name, ...flags }: ChecksFlags, command: Command) => {
      const { evaluateChecks } = await import("../runs/checks.ts");
      const { createClaimReader } = await import("../../src/engine/claim-reader.ts");
      const { createReaderKeeper } = await import("../../src/engine/reader-keeper.ts");
      const { loadEmbeddedEncoder } = await import("../../src/models/embedded-encoder.ts");
      const { createEmbeddedSupportScorer } = await import("../../src/models/embedded-support.ts");
      const given = Object.entries({ golden: flags.golden, corpus: flags.corpus, "base-url": flags.baseUrl, data: flags.data });
      const shown = given.flatMap(([name, value]) => (value === undefined ? [] : [`--${name} ${value}`]));
      const config = configOf(context, command, {}, { domain: "veterans" });
      const domain = loadDomain(name ?? config.domain, config.domains_dir);
      const line = ["eval checks", ...shown, `--profile ${flags.profile}`].join(" ");
      const encoder = loadEmbeddedEncoder();
      const support = profileNamed(flags.profile).check.support === null ? null : createEmbeddedSupportScorer(encoder);
      const keeper = createReaderKeeper();
      const readClaims = createClaimReader(keeper);
      const options = { ...flags, domain, support, readClaims, encoder, signal: context.signal, command: line };
      await showEvaluation(evaluateChecks(options), json, context);
      await keeper.close();
    });
}

function addSentences(evaluate: Command, context: CliContext): void {
  evaluate
    .command("sentences")
    .description("sentences that are false against their quote, and true ones in other words, through every check of a sentence, by kind")
    .requiredOption("--file <file>", "tab-separated, with the columns domain, kind, title, quote, false, true")
    .option("--profile <name>", "profile whose checks are measured", sourcebound.name)
    .option("--uncited", "as a writer that cites nothing writes them, its quote at hand")
    .option("--json <file>", "write the whole report")
    .addHelpText("after", "\nExample:\n  sourcebound eval sentences --file lab/sets/own/sentences.tsv")
    .action(async ({ json, file, profile, uncited = false }: { json?: string; file: string; profile: string; uncited?: boolean }) => {
      const { evaluateOwnSentences } = await import("../runs/own-sentences.ts");
      const command = `eval sentences --file ${file} --profile ${profile}${uncited ? " --uncited" : ""}`;
      await showEvaluation(evaluateOwnSentences({ file, profile, uncited, command }), json, context);
    });
}

function addWritten(evaluate: Command, context: CliContext): void {
  evaluate
    .command("written")
    .description(
      "written answers over the real collections, through every check of a sentence: flagged, caught by kind, AUROC of each check",
    )
    .requiredOption("--pages <folder>", "folder with NAME/pages/ of the collections")
    .option("--part <part>", `only this part: ${PARTS.join(", ")}`)
    .option("--names <names>", "comma-separated: only these collections")
    .option("--profile <name>", "profile whose checks are measured", sourcebound.name)
    .option("--json <file>", "write the whole report")
    .addHelpText("after", "\nExample:\n  ./run eval written --pages data/collections --part validation")
    .action(async ({ json, pages, part, names, profile }: WrittenFlags) => {
      const { evaluateCollectionDrafts } = await import("../runs/collection-drafts.ts");
      const { createClaimReader } = await import("../../src/engine/claim-reader.ts");
      const { createReaderKeeper } = await import("../../src/engine/reader-keeper.ts");
      const { loadEmbeddedEncoder } = await import("../../src/models/embedded-encoder.ts");
      const { createEmbeddedSupportScorer } = await import("../../src/models/embedded-support.ts");
      const chosen = chooseCollections(part, names);
      const keeper = createReaderKeeper();
      const support = profileNamed(profile).check.support === null ? null : createEmbeddedSupportScorer(loadEmbeddedEncoder());
      const command = `eval written --pages ${pages}${part === undefined ? "" : ` --part ${part}`}${names === undefined ? "" : ` --names ${names}`}`;
      const options = { names: chosen, pages, profile, support, readClaims: createClaimReader(keeper), command, signal: context.signal };
      await showEvaluation(evaluateCollectionDrafts(options), json, context);
      await keeper.close();
    });
}

interface WrittenFlags {
  pages: string;
  part?: string;
  names?: string;
  profile: string;
  json?: string;
}
