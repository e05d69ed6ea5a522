import { Command, Option } from "commander";
import { addEvalCommand } from "../src/cli/commands/eval-golden.ts";
import { type CliContext, pathOf } from "../src/cli/context.ts";
import { addAblateCommand } from "./commands/ablate.ts";
import { addBenchCommand } from "./commands/bench.ts";
import { addCollectionsCommand } from "./commands/collections.ts";
import { addMeasurements } from "./commands/eval.ts";
import { addTrainCommand } from "./commands/train.ts";
import { unpackSets } from "./sets/unpack-sets.ts";

/** Creates the command tree of the lab. */
export function createLab(context: CliContext): Command {
  const program = new Command(context.terminal.command)
    .description("Measures answers and speed.")
    .addOption(new Option("--data-dir <folder>", "data folder with the database (or SOURCEBOUND_DATA_DIR)"));
  addMeasurements(addEvalCommand(program, context, unpackSets), context);
  addAblateCommand(program, context);
  addBenchCommand(program, context);
  addTrainCommand(program, context);
  addCollectionsCommand(program, context);
  program
    .command("unpack")
    .description("collections of one file each (lab/sets/written, lab/sets/strangers) as folders of golden sets; prints where they are")
    .argument("<folder>")
    .action((folder: string) => context.terminal.print(unpackSets(pathOf(context, folder))));
  return program;
}
