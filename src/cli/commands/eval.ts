import type { Command } from "commander";
import type { CliContext } from "../context.ts";
import { addEvalGoldenCommand } from "./eval-golden.ts";

/** Measures on questions of the user's own. Returns the command: what measures on other sets is added to it. @param openSets see `addEvalGoldenCommand` */
export function addEvalCommand(program: Command, context: CliContext, openSets?: (folder: string) => string): Command {
  const evaluate = program.command("eval").description("measure answers against golden sets");
  addEvalGoldenCommand(evaluate, context, openSets);
  return evaluate;
}
