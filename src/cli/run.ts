import { Command, CommanderError, Option } from "commander";
import { VERSION } from "../package.ts";
import { messageOf, SourceboundError, systemCodeOf } from "../shared/errors.ts";
import { addAskCommand } from "./commands/ask.ts";
import { addBackupCommand, addRestoreCommand } from "./commands/backup.ts";
import { addCalibrateCommand } from "./commands/calibrate.ts";
import { addCheckCommand } from "./commands/check.ts";
import { addConflictsCommand, addDocumentsCommand } from "./commands/documents.ts";
import { addDoctorCommand, addNewDomainCommand, addProfilesCommand } from "./commands/domains.ts";
import { addEvalCommand } from "./commands/eval-golden.ts";
import { addIngestCommand } from "./commands/ingest.ts";
import { addKeysCommand } from "./commands/keys.ts";
import { addCacheCommand, addExperimentsCommand, addForgetCommand, addSessionsCommand, addStatsCommand } from "./commands/memory.ts";
import { addModelsCommand } from "./commands/models.ts";
import { addCitationsCommand, addProveCommand, addReplayCommand } from "./commands/prove.ts";
import { addReportsCommand } from "./commands/reports.ts";
import { addReviewCommand } from "./commands/review.ts";
import { addDemoCommand, addMcpCommand, addServeCommand, addWorkerCommand } from "./commands/serve.ts";
import { type CliContext, EXIT } from "./context.ts";
import { type CliProcess, createTerminal, type Terminal } from "./terminal.ts";

/** Milliseconds between SIGTERM and the end of the process, even if work is unfinished. */
const TERMINATE_MS = 1_800;

export function runCli(args: readonly string[], surroundings: CliProcess): Promise<number> {
  return runProgram(args, surroundings, createProgram);
}

/** Runs one command line of the program that `create` makes. Results go to stdout, progress and errors to stderr. Returns the exit code. */
export async function runProgram(
  args: readonly string[],
  surroundings: CliProcess,
  create: (context: CliContext) => Command,
): Promise<number> {
  const abort = new AbortController();
  const terminal = createTerminal(surroundings);
  const context: CliContext = { terminal, process: surroundings, signal: abort.signal, exitCode: EXIT.done };
  const onInterrupt = () => {
    if (abort.signal.aborted) process.exit(EXIT.cancelled);
    terminal.progress("Stopping (press Ctrl-C again to quit immediately) …");
    abort.abort(new SourceboundError("cancelled", "Cancelled."));
  };
  process.on("SIGINT", onInterrupt);
  // The service manager waits for the end of the process. Work that is unfinished after `TERMINATE_MS` is lost. The
  // database stays intact, as after a power cut.
  const onTerminate = () => {
    setTimeout(() => process.exit(EXIT.cancelled), TERMINATE_MS).unref();
    onInterrupt();
  };
  process.on("SIGTERM", onTerminate);
  const program = prepare(create(context), terminal);
  try {
    await program.parseAsync([...args], { from: "user" });
    return context.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    if (abort.signal.aborted) {
      terminal.error("Cancelled. Finished work is kept. Run the same command again to continue.");
      return EXIT.cancelled;
    }
    terminal.fail(error, Boolean(program.optsWithGlobals().json) || args.includes("--json"));
    return error instanceof SourceboundError &&
      /^(config|unknown|question|batch|filter|answer|sources|review|forget|calibrate_profile)/.test(error.code)
      ? EXIT.usage
      : EXIT.failed;
  } finally {
    terminal.endProgress();
    process.off("SIGINT", onInterrupt);
    process.off("SIGTERM", onTerminate);
  }
}

/** Configures version, suggestions and output of all commands. */
function prepare(program: Command, terminal: Terminal): Command {
  const output = {
    writeOut: (text: string) => terminal.print(terminal.asTyped(text.replace(/\n$/, ""))),
    writeErr: (text: string) => terminal.error(text.replace(/\n$/, "")),
  };
  for (const command of withCommands(program)) {
    command.exitOverride().configureOutput(output).showSuggestionAfterError().showHelpAfterError("(add --help for options and examples)");
  }
  return program.version(VERSION);
}

function withCommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withCommands)];
}

/** All commands, in the order of the help text. */
const COMMANDS = [
  addAskCommand,
  addCheckCommand,
  addIngestCommand,
  addDocumentsCommand,
  addServeCommand,
  addWorkerCommand,
  addBackupCommand,
  addRestoreCommand,
  addMcpCommand,
  addKeysCommand,
  addConflictsCommand,
  addCacheCommand,
  addReportsCommand,
  addProveCommand,
  addReplayCommand,
  addCitationsCommand,
  addReviewCommand,
  addStatsCommand,
  addExperimentsCommand,
  addSessionsCommand,
  addForgetCommand,
  addCalibrateCommand,
  addEvalCommand,
  addDemoCommand,
  addNewDomainCommand,
  addDoctorCommand,
  addProfilesCommand,
  addModelsCommand,
];

export function createProgram(context: CliContext): Command {
  const program = new Command(context.terminal.command)
    .description("Answers questions from your documents. Every sentence links to the exact source text; otherwise the question is refused.")
    .addOption(new Option("--data-dir <folder>", "data folder, which holds the database (or set SOURCEBOUND_DATA_DIR)"))
    .addHelpText("after", EXAMPLES);
  for (const add of COMMANDS) add(program, context);
  return program;
}

const EXAMPLES = `
Examples:
  sourcebound demo                               the veterans' demo on http://127.0.0.1:8787
  sourcebound ingest ./my-documents              ingest a folder
  sourcebound ask "What is the notice period?"
  sourcebound ask --json "…" | jq .citations
  sourcebound serve --port 9000

Settings: sourcebound.config.yaml in the working directory, or variables SOURCEBOUND_…; see docs/configuration.md.`;

/** Runs the command line of this process and sets its exit code. */
export async function runProcess(run: (args: readonly string[], surroundings: CliProcess) => Promise<number>): Promise<void> {
  let outputFailed = false;
  process.stdout.on("error", (error) => {
    // EPIPE: the program that reads the output has closed the pipe, e.g. `| head -1`. Continue without output.
    if (systemCodeOf(error) === "EPIPE" || outputFailed) return;
    outputFailed = true;
    process.exitCode = EXIT.failed;
    process.stderr.write(`error output_failed The result could not be written: ${messageOf(error)}\n`);
  });
  process.stderr.on("error", () => undefined);
  const exitCode = await run(process.argv.slice(2), process);
  process.exitCode = outputFailed ? EXIT.failed : exitCode;
}
