import { Command, Option } from "commander";
import { addEvalCommand } from "../src/cli/commands/eval.ts";
import type { CliContext } from "../src/cli/context.ts";
import { addAblateCommand } from "./commands/ablate.ts";
import { addBenchCommand } from "./commands/bench.ts";
import { addMeasurements } from "./commands/eval.ts";
import { addTrainCommand } from "./commands/train.ts";

/** The command tree of what measures and makes. */
export function createLab(context: CliContext): Command {
  const program = new Command(context.terminal.command)
    .description("Measures answers and speed.")
    .addOption(new Option("--data-dir <folder>", "folder of the database (or SOURCEBOUND_DATA_DIR)"));
  addMeasurements(addEvalCommand(program, context), context);
  addAblateCommand(program, context);
  addBenchCommand(program, context);
  addTrainCommand(program, context);
  return program;
}
