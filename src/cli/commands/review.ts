import type { Command } from "commander";
import type { QueuedQuestion, ReviewHistory, ShownReview } from "../../memory/review.ts";
import type { Answer } from "../../shared/types.ts";
import { historyToWire, queueItemToWire, reviewToWire } from "../../wire/memory.ts";
import { DOMAIN, define, JSON_OUT, printResult, toCount } from "../command.ts";
import { type CliContext, configOf, EXIT, readText, userName, withEngine } from "../context.ts";
import { renderAnswer } from "../render.ts";
import { harmless, harmlessLine, type Terminal } from "../terminal.ts";

const LIMIT = ["--limit <number>", "maximum number of entries", { parse: toCount }] as const;
const DECISIONS = {
  approve: { what: "mark an answer as correct; this applies to every time the same question was asked", done: "Approved" },
  flag: { what: "mark an answer as wrong or doubtful, and remove it from the cache", done: "Flagged" },
} as const;

export function addReviewCommand(program: Command, context: CliContext): Command {
  const { terminal } = context;
  const { colors } = terminal;
  const by = ["--by <name>", "your name, for the audit log", { default: userName() }] as const;
  const commands = [
    define("list", {
      description: "list questions that wait for review, most urgent first",
      options: [
        DOMAIN,
        [
          "--status <status>",
          "list all answers with this review status, even those that do not wait for review",
          { choices: ["unreviewed", "approved", "flagged"] },
        ],
        LIMIT,
        JSON_OUT,
      ],
      async use({ memory }, { flags: { json, ...chosen } }) {
        const items = await memory.review.queue(chosen);
        printResult(terminal, json, items.map(queueItemToWire), () => renderQueue(items, colors));
      },
    }),
    define("show", {
      description: "show one answer with its sources, checks, ratings, review and correction",
      argument: ["<id>"],
      options: [JSON_OUT],
      async use({ memory }, { flags: { json }, given }) {
        const shown = await memory.review.show(given);
        printResult(terminal, json, reviewToWire(shown), () => renderReview(shown, colors));
      },
    }),
    ...(["approve", "flag"] as const).map((decision) =>
      define(decision, {
        description: DECISIONS[decision].what,
        argument: ["<id>"],
        options: [by],
        async use({ memory }, { flags, given }) {
          await memory.review[decision](given, flags.by);
          terminal.print(`${DECISIONS[decision].done} the answer ${given}.`);
          if (decision === "flag" && (await memory.review.show(given)).curated?.status === "served")
            terminal.error(
              "A reviewer's correction is still served for this question. To withdraw it, ask the question again and flag the id of the answer that you get.",
            );
        },
      }),
    ),
    define("correct", {
      description: "replace an answer; the correction is served until one of its documents changes",
      argument: ["<id>"],
      options: [
        [
          "--answer <file>",
          "file with sentences that each cite [n]; final lines such as `[1]: path` name documents; - reads standard input",
          { required: true },
        ],
        by,
      ],
      async run({ flags: { answer: file, by: who }, given: answerId, command }) {
        const written = await readText(context, file, "answer_unreadable", "answer");
        await withEngine(context, configOf(context, command), async ({ memory }) => {
          terminal.print(withoutFooter(await memory.review.correct(answerId, written, who), colors));
          terminal.error(`The correction of the answer ${answerId} was stored. ${servedWhere(await memory.review.show(answerId))}`);
        });
      },
    }),
    define("history", {
      description: "show the audit log, newest first, and whether it is intact",
      options: [["--id <id>", "only entries of this answer"], LIMIT, JSON_OUT],
      async use({ memory }, { flags: { json, ...chosen } }) {
        const history = await memory.review.history(chosen);
        printResult(terminal, json, historyToWire(history), () => renderHistory(history, colors));
        if (!history.chain.intact) context.exitCode = EXIT.found;
      },
    }),
  ];
  return define("review", {
    description: "list answers that wait for review; approve, flag, correct",
    help: `
Examples:
  sourcebound review list
  sourcebound review approve 3f0c… --by "Ann Lee"
  sourcebound review correct 3f0c… --answer better.txt

better.txt:
  A Higher-Level Review must be asked for within one year [1].

  [1]: documents/decision-reviews.md

Exit code of history: 0 intact, 5 the log was tampered with.`,
    commands,
  })(program, context);
}

/** Says for which questions the correction is served. `within`: filters of the corrected question; `null`: it had none. */
function servedWhere({ question, within }: Pick<ShownReview, "question" | "within">): string {
  const asked = `From now on it is served when "${harmlessLine(question)}" is asked`;
  if (within === null) return `${asked} without filters; with filters, the question is answered as before.`;
  return `${asked} within ${harmlessLine(within)}; otherwise, the question is answered as before.`;
}

/** Removes the last line of a rendered answer, which states confidence and duration. A correction has neither. */
function withoutFooter(answer: Answer, colors: Terminal["colors"]): string {
  return renderAnswer(answer, colors).split("\n").slice(0, -2).join("\n");
}

function renderQueue(items: readonly QueuedQuestion[], colors: Terminal["colors"]): string {
  if (items.length === 0) return "No answer waits for review.";
  return items
    .map(({ id, question, within, asked, score, why, tenant }) => {
      const times = asked === 1 ? "asked once" : `asked ${asked} times`;
      const whose = tenant === "" ? "" : `, tenant ${harmlessLine(tenant)}`;
      const limits = within === null ? "" : `, within ${harmlessLine(within)}`;
      return `${colors.bold(score.toFixed(2))} ${harmlessLine(question)}\n     ${colors.dim(`${id}  ${times}${limits}${whose}; ${why.join(", ")}`)}`;
    })
    .join("\n");
}

function renderReview(shown: ShownReview, colors: Terminal["colors"]): string {
  const { id, question, within, asked, reviewStatus, reviewedBy, reviewedAt, demotedAt, answer, curated, feedback, history } = shown;
  const reviewed = reviewedBy === null ? "" : ` by ${harmlessLine(reviewedBy)}, ${reviewedAt ?? ""}`;
  const lines = [
    colors.bold(harmlessLine(question === "" ? "(its text was not kept)" : question)),
    colors.dim(`${id}, asked ${asked} ×, ${shown.createdAt}`),
  ];
  if (within !== null) lines.push(`Search restricted to: ${harmlessLine(within)}`);
  lines.push(`Review: ${reviewStatus}${reviewed}${demotedAt === null ? "" : `; a source changed ${demotedAt}`}`);
  if (feedback !== null) lines.push(`Thumbs ${feedback.verdict}${feedback.reason === null ? "" : `: ${harmless(feedback.reason)}`}`);
  if (shown.report !== null) lines.push(`Diagnostic report: sourcebound reports show ${shown.report}`);
  if (answer !== null) lines.push("", renderAnswer(answer, colors));
  if (curated !== null) {
    lines.push(
      "",
      colors.bold(
        `Correction by ${harmlessLine(curated.by)}, ${curated.at}: ${curated.status === "served" ? "served" : "no longer served, a source changed"}`,
      ),
    );
    lines.push(withoutFooter(curated.answer, colors));
  }
  if (history.length > 0) lines.push("", colors.bold("History"), ...history.map(historyLine));
  return lines.join("\n");
}

function historyLine({ seq, at, actor, action, subject, details }: ReviewHistory["rows"][number]): string {
  return harmlessLine(`${String(seq).padStart(5)} ${at} ${actor}: ${action} ${subject} ${JSON.stringify(details)}`);
}

function renderHistory({ rows, chain }: ReviewHistory, colors: Terminal["colors"]): string {
  const lines = rows.map(historyLine);
  lines.push(
    chain.intact
      ? colors.green(`Intact: ${chain.rows} rows, head ${chain.head}`)
      : colors.red(`Not intact: row ${chain.brokenAt} does not match the previous row. Rows were changed, deleted or inserted.`),
  );
  return lines.join("\n");
}
