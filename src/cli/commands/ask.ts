import type { Command } from "commander";
import { packHotlines } from "../../engine/domain.ts";
import { openCrisisFinder } from "../../engine/local-models.ts";
import { createReaderKeeper } from "../../engine/reader-keeper.ts";
import { createHotlineFinder } from "../../guard/hotlines.ts";
import { sharedEncoder } from "../../models/embedded-encoder.ts";
import { withWarnings } from "../../shared/errors.ts";
import type { Answer, Warning } from "../../shared/types.ts";
import { answerToWire } from "../../wire/index.ts";
import { DOMAIN, define, PROFILE, printResult, TENANT } from "../command.ts";
import { type CliContext, configOf, EXIT, readInput, withEngine } from "../context.ts";
import { renderAnswer } from "../render.ts";
import { harmless } from "../terminal.ts";
import { writeProof } from "./prove.ts";

const OPTIONS = [
  ["--json", "print the whole answer as JSON (the response of POST /v1/ask)"],
  DOMAIN,
  TENANT,
  PROFILE,
  ["--detail <level>", "length of the answer", { choices: ["normal", "more"], default: "normal" }],
  ["--session <id>", "continue a session"],
  ["--user <id>", "user whose session it is; only a keyed hash is stored"],
  ["--ephemeral", "store no text of the question or answer, only keyed hashes and counts"],
  ["--proof <file>", "write the answer's proof to this file; `prove verify` checks it offline"],
  ["--document <name>", "search only in this document: title, path, file name or id"],
  ["--chapter <name>", "search only in this chapter: heading, number or name"],
  ["--section <name>", "search only in this section: heading, number or name"],
  ["--page <pages>", "search only on these pages: 12 or 12-15"],
  ["--verbose", "print stages and notices to stderr"],
] as const;

export function addAskCommand(program: Command, context: CliContext): void {
  define(program, context, "ask", {
    description: "answer a question from the ingested documents, with sources",
    argument: ["<question...>", "the question; - reads it from standard input"],
    options: OPTIONS,
    help: `
Exit code: 0 answered, 3 refused, 1 failed, 2 usage error.

Examples:
  sourcebound ask "What is the notice period?"
  sourcebound ask --document handbook.pdf --section "Leave" "How many days may be carried over?"
  echo "Who approves expenses above 500 dollars?" | sourcebound ask -
  sourcebound ask --json "What is the notice period?" > answer.json
  sourcebound ask --domain veterans "What is the deadline for a Higher-Level Review?"     after sourcebound demo has ingested its documents`,
    async run({ flags, given, command }) {
      const { terminal, signal } = context;
      const config = configOf(context, command);
      // Open as long as the engine, so that the weights load once.
      const reader = createReaderKeeper();
      try {
        const question =
          given.length === 1 && given[0] === "-" ? (await readInput(context, MAX_INPUT)).toString("utf8").trim() : given.join(" ");
        // Before opening the engine, so that no failure delays the hotlines.
        const findHotlines = createHotlineFinder(packHotlines(flags.domain, config), openCrisisFinder(sharedEncoder, reader));
        const urgent = await findHotlines(question);
        if (!flags.json) for (const { message } of urgent) terminal.print(terminal.colors.yellow(`! ${harmless(message)}\n`));
        const asked = withEngine(context, config, async (engine) => {
          const options = {
            domain: flags.domain,
            tenant: flags.tenant,
            profile: flags.profile,
            detail: flags.detail,
            sessionId: flags.session,
            userId: flags.user,
            privacy: flags.ephemeral ? ("ephemeral" as const) : undefined,
            filters: { document: flags.document, chapter: flags.chapter, section: flags.section, page: flags.page },
            proof: flags.proof !== undefined,
            verbose: flags.verbose,
            signal,
          };
          for await (const event of engine.ask(question, options)) {
            if (event.type === "answer") {
              if (flags.proof !== undefined && event.answer.proof) writeProof(context, flags.proof, event.answer.proof);
              printResult(terminal, flags.json, answerToWire(event.answer), () =>
                renderAnswer(withoutShown(event.answer, urgent), terminal.colors, terminal.asTyped),
              );
              context.exitCode = event.answer.status === "ok" ? EXIT.done : EXIT.refused;
            } else if (flags.verbose && event.type === "notice") terminal.error(`notice ${event.stage}: ${event.message}`);
            else if (flags.verbose && "ms" in event) terminal.error(`${event.type} ${event.ms} ms ${JSON.stringify(event.facts)}`);
          }
        });
        await asked.catch((error: unknown) => {
          throw withWarnings(error, urgent);
        });
      } finally {
        await reader.close();
      }
    },
  });
}

/** Maximum bytes of standard input; no configuration allows a question of more than 100,000 characters. */
const MAX_INPUT = 400_000;

/** Removes warnings that were already printed. */
function withoutShown(answer: Answer, shown: readonly Warning[]): Answer {
  return { ...answer, warnings: answer.warnings.filter(({ message }) => !shown.some((one) => one.message === message)) };
}
