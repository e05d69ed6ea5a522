import { join } from "node:path";
import type { Command } from "commander";
import type { CliContext } from "../../src/cli/context.ts";
import { configOf } from "../../src/cli/open.ts";
import { type Config, hubFolders } from "../../src/config.ts";
import { RequestError } from "../../src/errors.ts";
import { loadEmbeddedEncoder } from "../../src/models/embedded-encoder.ts";
import { HUB_NAME } from "../../src/models/hub/catalog.ts";
import { didYouMean } from "../../src/text/nearest.ts";
import { evaluateRetrieval, RETRIEVAL_SETS } from "../runs/retrieval.ts";
import type { RetrievalSetName } from "../sets/retrieval-sets.ts";
import { showEvaluation } from "./show-evaluation.ts";

/** The encoder that peers in this ecosystem use most, and the one that ours was distilled from. */
const DEFAULT_HUB_MODEL = "all-MiniLM-L6-v2";
const DEFAULT_LIMIT = "1000";

interface RetrievalFlags {
  data: string;
  sets: string;
  limit: string;
  fusions?: boolean;
  hub: string | false;
  models?: string;
  runtime?: string;
  cache?: string;
  peers: boolean;
  json?: string;
}

export function addEvalRetrievalCommand(evaluate: Command, context: CliContext): void {
  evaluate
    .command("retrieval")
    .description(
      "rankings on public sets: words, dense, hybrid, reranked, beside a model of the hub and other libraries; with paired bootstrap intervals",
    )
    .requiredOption("--data <folder>", "folder of sets, one folder each")
    .option("--sets <names>", "comma-separated", RETRIEVAL_SETS.join(","))
    .option("--limit <n>", "questions of one set at most", DEFAULT_LIMIT)
    .option("--fusions", "compare weights of the hybrid instead")
    .option("--hub <model>", "model of the hub to compare with", DEFAULT_HUB_MODEL)
    .option("--no-hub", "without it")
    .option("--models <folder>", "folder of hub models (default: as configured)")
    .option("--runtime <folder>", "folder into which the runtime of hub models was installed (default: as configured)")
    .option("--cache <folder>", "where vectors of the hub model are kept between runs (default: `eval-vectors` in the data folder)")
    .option("--no-peers", "without Orama and MiniSearch")
    .option("--json <file>", "write the whole report")
    .addHelpText(
      "after",
      "\nExamples:\n  sourcebound eval retrieval --data data --sets va-golden,clapnq\n  sourcebound eval retrieval --data data --models models --cache vectors --json retrieval.json",
    )
    .action(async (flags: RetrievalFlags, command: Command) => {
      const sets = setsOf(flags.sets);
      const limit = limitOf(flags.limit);
      const options = { data: flags.data, sets, limit, command: lineOf(flags), signal: context.signal };
      // Loaded only now: help and wrong usage answer without the database.
      const { embeddedSystems, fusionSystems, hubSystemNames, hubSystems, OURS, peerSystems } = await import(
        "../runs/retrieval-systems.ts"
      );
      const encoder = loadEmbeddedEncoder();
      if (flags.fusions === true) {
        await showEvaluation(evaluateRetrieval({ ...options, systems: fusionSystems(encoder), comparisons: [] }), flags.json, context);
        return;
      }
      const config = configOf(context, command, {}, { domain: "veterans" });
      const peers = flags.peers ? await peerSystems() : [];
      if (flags.hub === false) {
        const systems = [...embeddedSystems(encoder), ...peers];
        await showEvaluation(evaluateRetrieval({ ...options, systems, comparisons: [] }), flags.json, context);
        return;
      }
      const model = modelOf(flags.hub);
      const { openVectorCache } = await import("../sets/vector-cache.ts");
      const cache = await openVectorCache(flags.cache ?? join(config.data_dir, "eval-vectors"));
      try {
        const hub = await hubSystems(model, { ...foldersOf(flags, config), cache: cache.embeddings, signal: context.signal });
        const { hybrid, equal } = hubSystemNames(model);
        const comparisons = [hybrid, equal].map((against) => ({ system: OURS, against }));
        const systems = [...embeddedSystems(encoder), ...hub, ...peers];
        await showEvaluation(evaluateRetrieval({ ...options, systems, comparisons }), flags.json, context);
      } finally {
        await cache.close();
      }
    });
}

function foldersOf({ models, runtime }: RetrievalFlags, config: Config): { modelsDir: string; runtimeDirs: readonly string[] } {
  const { modelsDir, runtimeDirs } = hubFolders(config);
  return { modelsDir: models ?? modelsDir, runtimeDirs: runtime === undefined ? runtimeDirs : [runtime] };
}

/** What the figures depend on; folders of models and vectors are not part of it. */
function lineOf({ data, sets, limit, fusions, hub, peers }: RetrievalFlags): string {
  const other = [
    ...(fusions === true ? ["--fusions"] : []),
    ...(hub === false ? ["--no-hub"] : hub === DEFAULT_HUB_MODEL ? [] : [`--hub ${hub}`]),
    ...(peers ? [] : ["--no-peers"]),
  ];
  return ["eval retrieval", `--data ${data}`, `--sets ${sets}`, `--limit ${limit}`, ...other].join(" ");
}

function setsOf(names: string): RetrievalSetName[] {
  return names.split(",").map((name) => {
    const known = RETRIEVAL_SETS.find((set) => set === name.trim());
    if (known !== undefined) return known;
    const message = `There is no set "${name}".${didYouMean(name, RETRIEVAL_SETS)} Known: ${RETRIEVAL_SETS.join(", ")}.`;
    throw new RequestError("unknown_set", message);
  });
}

function limitOf(text: string): number {
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new RequestError("config_invalid", `--limit ${text} is not a number of questions: give a whole number from 1.`);
}

function modelOf(name: string): string {
  if (HUB_NAME.test(name)) return name;
  throw new RequestError("config_invalid", `--hub ${name} is not a name or owner/name of a model.`);
}
