import { Command, Option } from "commander";
import { addEvalCommand } from "../src/cli/commands/eval.ts";
import type { CliContext } from "../src/cli/context.ts";
import { runProgram } from "../src/cli/run.ts";
import { runProcess } from "../src/cli/run-process.ts";
import { addBenchCommand } from "./commands/bench.ts";
import { addMeasurements } from "./commands/eval.ts";
import { addTrainCommand } from "./commands/train.ts";

/** Measuring and making: what `./run eval`, `./run bench` and `./run lab` start. It is no part of the published package. */
await runProcess((args, surroundings) => runProgram(args, surroundings, createLab));

function createLab(context: CliContext): Command {
  const program = new Command(context.terminal.command)
    .description("Measures answers and speed.")
    .addOption(new Option("--data-dir <folder>", "folder of the database (or SOURCEBOUND_DATA_DIR)"));
  addMeasurements(addEvalCommand(program, context), context);
  addBenchCommand(program, context);
  addTrainCommand(program, context);
  return program;
}
