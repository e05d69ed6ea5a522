import { Command, CommanderError, Option } from "commander";
import { addBenchCommand } from "../../lab/commands/bench.ts";
import { addEvalCommand } from "../../lab/commands/eval.ts";
import { SourceboundError } from "../errors.ts";
import { VERSION } from "../package.ts";
import { addAskCommand } from "./commands/ask.ts";
import { addCacheCommand } from "./commands/cache.ts";
import { addCalibrateCommand } from "./commands/calibrate.ts";
import { addCheckCommand } from "./commands/check.ts";
import { addConflictsCommand } from "./commands/conflicts.ts";
import { addDemoCommand } from "./commands/demo.ts";
import { addForgetCommand } from "./commands/forget.ts";
import { addIngestCommand } from "./commands/ingest.ts";
import { addModelsCommand } from "./commands/models.ts";
import { addProfilesCommand } from "./commands/profiles.ts";
import { addReportsCommand } from "./commands/reports.ts";
import { addReviewCommand } from "./commands/review.ts";
import { addServeCommand } from "./commands/serve.ts";
import { addSessionsCommand } from "./commands/sessions.ts";
import { addStatsCommand } from "./commands/stats.ts";
import { type CliContext, EXIT } from "./context.ts";
import { type CliStreams, createTerminal } from "./terminal.ts";

/** Runs one command line; results go to stdout, progress and errors to stderr. Returns the exit code. */
export async function runCli(args: readonly string[], streams: CliStreams): Promise<number> {
  const abort = new AbortController();
  const terminal = createTerminal(streams);
  const context: CliContext = { terminal, signal: abort.signal, exitCode: EXIT.done };
  const onInterrupt = () => {
    if (abort.signal.aborted) process.exit(EXIT.cancelled);
    terminal.progress("Stopping (press Ctrl-C again to quit at once) …");
    abort.abort(new SourceboundError("cancelled", "Cancelled."));
  };
  process.on("SIGINT", onInterrupt);
  process.on("SIGTERM", onInterrupt);
  const program = createProgram(context);
  try {
    await program.parseAsync([...args], { from: "user" });
    return context.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    if (abort.signal.aborted) {
      terminal.error("Cancelled. What was finished is kept; run the same command again to go on.");
      return EXIT.cancelled;
    }
    terminal.fail(error, Boolean(program.optsWithGlobals().json) || args.includes("--json"));
    return error instanceof SourceboundError &&
      /^(config|unknown|question|filter|answer|sources|review|forget|calibrate_profile)/.test(error.code)
      ? EXIT.usage
      : EXIT.failed;
  } finally {
    terminal.endProgress();
    process.off("SIGINT", onInterrupt);
    process.off("SIGTERM", onInterrupt);
  }
}

function createProgram(context: CliContext): Command {
  const { terminal } = context;
  const program = new Command("sourcebound")
    .description("Answers whose every sentence is bound to a source at exact characters, or an honest refusal.")
    .version(VERSION)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.print(text.replace(/\n$/, "")),
      writeErr: (text) => terminal.error(text.replace(/\n$/, "")),
    })
    .showSuggestionAfterError()
    .showHelpAfterError("(add --help for the options and examples)")
    .addOption(new Option("--data-dir <folder>", "folder of the database").env("SOURCEBOUND_DATA_DIR"))
    .addHelpText("after", EXAMPLES);
  addAskCommand(program, context);
  addCheckCommand(program, context);
  addIngestCommand(program, context);
  addServeCommand(program, context);
  addConflictsCommand(program, context);
  addCacheCommand(program, context);
  addReportsCommand(program, context);
  addReviewCommand(program, context);
  addStatsCommand(program, context);
  addSessionsCommand(program, context);
  addForgetCommand(program, context);
  addCalibrateCommand(program, context);
  addDemoCommand(program, context);
  addProfilesCommand(program, context);
  addModelsCommand(program, context);
  addEvalCommand(program, context);
  addBenchCommand(program, context);
  return program;
}

const EXAMPLES = `
Examples:
  sourcebound demo                               the veterans' demo on http://127.0.0.1:8787
  sourcebound ingest ./my-documents              read a folder
  sourcebound ask "What rating does tinnitus get?"
  sourcebound ask --json "…" | jq .citations
  sourcebound serve --port 9000

Settings: sourcebound.config.yaml in the working directory, or variables SOURCEBOUND_…; see README.md.`;
