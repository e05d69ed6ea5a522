import { existsSync, readdirSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Command } from "commander";
import { z } from "zod";
import type { CliContext } from "../../src/cli/context.ts";
import type { Report, TableRow } from "../../src/grading/report.ts";
import { renderTable, writeReport } from "../../src/grading/report.ts";
import { messageOf, RequestError, systemCodeOf } from "../../src/shared/errors.ts";
import { didYouMean } from "../../src/text/spelling.ts";

/** A benchmark, exported by a file of `lab/bench/`. */
export interface Benchmark {
  readonly description: string;
  run(args: readonly string[], progress: (text: string) => void): Promise<{ report: Report; table: readonly TableRow[] }>;
}

/** Extension of benchmark files: that of this file, `.ts` in the source and `.js` in the build. */
const ENDING = extname(fileURLToPath(import.meta.url));
const FOLDER = join(import.meta.dirname, "..", "bench");

export function addBenchCommand(program: Command, { terminal }: CliContext): void {
  program
    .command("bench")
    .description("measure speed; without a name, list the benchmarks")
    .argument("[name]", "benchmark")
    .argument("[options...]", "options of the benchmark")
    .option("--json <file>", "write the whole report")
    .allowUnknownOption()
    .addHelpText("after", "\nExamples:\n  sourcebound bench\n  sourcebound bench path --json path.json")
    .action(async (name: string | undefined, args: string[], { json }: { json?: string }) => {
      const names = listBenchmarks();
      if (name === undefined) {
        for (const one of names) terminal.print(`${one.padEnd(12)} ${(await load(one)).description}`);
        return;
      }
      if (!names.includes(name))
        throw new RequestError(
          "unknown_benchmark",
          `There is no benchmark "${name}".${didYouMean(name, names)} Known: ${names.join(", ")}.`,
        );
      const { report, table } = await runBenchmark(name, args, terminal.progress);
      terminal.print(terminal.colors.bold(`${report.name}: ${report.command}`));
      terminal.print(renderTable(table));
      if (json !== undefined) writeReport(json, report);
    });
}

/** Runs one benchmark. @throws RequestError for an unknown option or a missing value, with the benchmark's description */
async function runBenchmark(name: string, args: readonly string[], progress: (text: string) => void): ReturnType<Benchmark["run"]> {
  const benchmark = await load(name);
  try {
    return await benchmark.run(args, progress);
  } catch (cause) {
    if (!systemCodeOf(cause)?.startsWith("ERR_PARSE_ARGS_")) throw cause;
    const [reason] = messageOf(cause).split(". ");
    throw new RequestError("wrong_option", `bench ${name}: ${reason}. It measures ${benchmark.description}.`, {}, { cause });
  }
}

function listBenchmarks(): string[] {
  if (!existsSync(FOLDER)) return [];
  return readdirSync(FOLDER)
    .filter((file) => extname(file) === ENDING && !file.endsWith(`.test${ENDING}`))
    .map((file) => basename(file, ENDING))
    .sort();
}

const moduleSchema = z.object({ benchmark: z.custom<Benchmark>((value) => typeof value === "object" && value !== null && "run" in value) });

async function load(name: string): Promise<Benchmark> {
  return moduleSchema.parse(await import(pathToFileURL(join(FOLDER, `${name}${ENDING}`)).href)).benchmark;
}
