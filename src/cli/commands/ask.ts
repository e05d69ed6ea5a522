import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { packHotlines } from "../../engine/domain.ts";
import { createReaderKeeper, openCrisisFinder } from "../../engine/local-models.ts";
import { createHotlineFinder } from "../../guard/hotlines.ts";
import { sharedEncoder } from "../../models/embedded-encoder.ts";
import { parseJson } from "../../models/read-json.ts";
import type { Config } from "../../shared/config.ts";
import { failureOf, RequestError, withWarnings } from "../../shared/errors.ts";
import { answerToWire, askBatch, askOptions, type BatchQuestion, batchResultSchema, readBatch } from "../../wire/index.ts";
import { DOMAIN, define, type FlagsOf, PROFILE, printResult, TENANT } from "../command.ts";
import { type CliContext, configOf, EXIT, pathOf, readInput, readText, withEngine } from "../context.ts";
import { renderAnswer } from "../render.ts";
import { harmless } from "../terminal.ts";
import { writeProof } from "./prove.ts";

const OPTIONS = [
  ["--json", "print the whole answer as JSON (the response of POST /v1/ask)"],
  DOMAIN,
  TENANT,
  PROFILE,
  ["--detail <level>", "length of the answer", { choices: ["normal", "more"], default: "normal" }],
  ["--write <mode>", "task of the configured language model: write the answer, or select quotes", { choices: ["answer", "quotes"] }],
  ["--file <path>", "ask every question of this file (JSON Lines; - reads standard input) and print one JSON line per answer"],
  ["--out <path>", "with --file: append the lines to this file; a repeated run asks only questions without an answer in it"],
  ["--session <id>", "id of the session to continue, so that a follow-up question is understood"],
  ["--user <id>", "user who owns the session; only a keyed hash of this name is stored"],
  ["--ephemeral", "store no text of the question or answer, only keyed hashes and counts"],
  ["--proof <file>", "write the answer's proof to this file; `prove verify` checks it offline"],
  ["--document <name>", "search only in this document, given by its title, path, file name or id"],
  ["--chapter <name>", "search only in this chapter, given by its heading, number or name"],
  ["--section <name>", "search only in this section, given by its heading, number or name"],
  ["--page <pages>", "search only on this page or these pages, such as 12 or 12-15"],
  ["--verbose", "print each stage of answering and its notices to stderr"],
] as const;

export const addAskCommand = define("ask", {
  description: "answer a question from the ingested documents, with sources",
  argument: ["[question...]", "the question; - reads it from standard input"],
  options: OPTIONS,
  help: `
Exit code: 0 answered, 3 refused, 1 failed, 2 usage error.

Examples:
  sourcebound ask "What is the notice period?"
  sourcebound ask --document handbook.pdf --section "Leave" "How many days may be carried over?"
  echo "Who approves expenses above 500 dollars?" | sourcebound ask -
  sourcebound ask --json "What is the notice period?" > answer.json
  sourcebound ask --file questions.jsonl --out answers.jsonl     lines such as {"id": "1", "question": "What is the notice period?"}
  sourcebound ask --domain veterans "What is the deadline for a Higher-Level Review?"     after sourcebound demo has ingested its documents`,
  async run({ flags, given, command, context, terminal, signal }) {
    const config = configOf(context, command);
    if (flags.write !== undefined && config.model === undefined)
      terminal.error("--write has no effect, because no language model is configured. Set `model` (docs/models.md).");
    if (flags.file !== undefined) return askFile(given, flags, { config, context });
    if (given.length === 0) command.error("error: missing required argument 'question'");
    // Close this cross-encoder after the engine. It was opened for the hotlines, and the engine shares its weights.
    const reader = createReaderKeeper();
    try {
      const question =
        given.length === 1 && given[0] === "-" ? (await readInput(context, MAX_INPUT)).toString("utf8").trim() : given.join(" ");
      // Find hotlines before opening the engine, so that a failure of the engine cannot delay them.
      const findHotlines = createHotlineFinder(packHotlines(flags.domain, config), openCrisisFinder(sharedEncoder, reader));
      const urgent = await findHotlines(question);
      if (!flags.json) for (const { message } of urgent) terminal.print(terminal.colors.yellow(`! ${harmless(message)}\n`));
      await withEngine(context, config, async (engine) => {
        const { domain, tenant, profile, detail, write, verbose, document, chapter, section, page } = flags;
        const options = {
          ...{ domain, tenant, profile, detail, write, verbose, signal },
          sessionId: flags.session,
          userId: flags.user,
          privacy: flags.ephemeral ? ("ephemeral" as const) : undefined,
          filters: { document, chapter, section, page },
          proof: flags.proof !== undefined,
        };
        for await (const event of engine.ask(question, options)) {
          if (event.type === "answer") {
            const { answer } = event;
            if (flags.proof !== undefined && answer.proof) writeProof(context, flags.proof, answer.proof);
            const warnings = answer.warnings.filter(({ message }) => !urgent.some((one) => one.message === message));
            const text = () => renderAnswer({ ...answer, warnings }, terminal.colors, terminal.asTyped);
            printResult(terminal, flags.json, answerToWire(answer), text);
            context.exitCode = answer.status === "ok" ? EXIT.done : EXIT.refused;
          } else if (flags.verbose && event.type === "notice") terminal.error(`notice ${event.stage}: ${event.message}`);
          else if (flags.verbose && "ms" in event) terminal.error(`${event.type} ${event.ms} ms ${JSON.stringify(event.facts)}`);
        }
      }).catch((error: unknown) => {
        throw withWarnings(error, urgent);
      });
    } finally {
      await reader.close();
    }
  },
});

/** Asks every question of a file and prints one result per line. Sets exit code 4 if some questions failed. */
async function askFile(
  words: readonly string[],
  { file = "-", out, domain, tenant, profile, write }: FlagsOf<typeof OPTIONS>,
  { config, context }: { readonly config: Config; readonly context: CliContext },
): Promise<void> {
  const { terminal, signal } = context;
  if (words.length > 0) throw new RequestError("batch_invalid", "Give either a question or --file, not both.");
  const text = await readText(context, file, "batch_unreadable", "questions");
  const questions = readBatch(text, Number.POSITIVE_INFINITY, { domain, tenant, profile, write });
  const path = pathOf(context, out);
  const known = path === undefined ? new Set<string>() : answeredIn(path);
  const open = questions.filter(({ id }) => !known.has(id));
  let done = questions.length - open.length;
  let failed = 0;
  terminal.progress(`${done}/${questions.length}`);
  await withEngine(context, config, async (engine) => {
    const ask = (question: BatchQuestion) => engine.answer(question.question, { ...askOptions(question), signal });
    for await (const outcome of askBatch(open, ask, { parallel: config.batch.parallel, signal })) {
      done++;
      if ("error" in outcome) failed++;
      const result = "answer" in outcome ? { answer: answerToWire(outcome.answer) } : { error: failureOf(outcome.error) };
      const line = JSON.stringify({ id: outcome.id, done, total: questions.length, ...result });
      if (path === undefined) terminal.print(line);
      else appendFileSync(path, `${line}\n`);
      terminal.progress(`${done}/${questions.length}  ${harmless(outcome.id)}`);
    }
  });
  terminal.endProgress();
  if (failed > 0) context.exitCode = EXIT.partly;
}

/**
 * Returns the ids of the questions that have an answer in the output file of an earlier run. An incomplete last line is
 * ignored.
 */
function answeredIn(path: string): Set<string> {
  if (!existsSync(path)) return new Set();
  const text = readFileSync(path, "utf8");
  if (text !== "" && !text.endsWith("\n")) appendFileSync(path, "\n");
  const lines = text.split("\n").map((line) => batchResultSchema.pick({ id: true, answer: true }).safeParse(parseJson(line)).data);
  return new Set(lines.flatMap((line) => (line?.answer === undefined ? [] : [line.id])));
}

/** Maximum bytes to read from standard input. A question has at most 100,000 characters in any configuration. */
const MAX_INPUT = 400_000;
