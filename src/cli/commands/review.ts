import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { type Command, Option } from "commander";
import { messageOf, RequestError } from "../../errors.ts";
import type { QueuedQuestion, ReviewHistory, ShownReview } from "../../remember/review.ts";
import { historyToWire, queueItemToWire, reviewToWire } from "../../wire/memory.ts";
import { type CliContext, EXIT, pathOf } from "../context.ts";
import { harmless, harmlessLine } from "../harmless.ts";
import { configOf, withEngine } from "../open.ts";
import { renderAnswer } from "../render.ts";
import type { Terminal } from "../terminal.ts";
import { toCount } from "../to-count.ts";
import { userName } from "../user-name.ts";

interface ListFlags {
  domain?: string;
  status?: "unreviewed" | "approved" | "flagged";
  limit?: number;
  json?: boolean;
}

interface ActFlags {
  by: string;
  answer: string;
  json?: boolean;
}

export function addReviewCommand(program: Command, context: CliContext): void {
  const review = program
    .command("review")
    .description("look at answers that wait for review, and approve, flag or correct them")
    .addHelpText("after", EXAMPLES);
  addList(review, context);
  addShow(review, context);
  addDecision(review, context, { name: "approve", what: "the answer is right, here and wherever the same question got it" });
  addDecision(review, context, { name: "flag", what: "the answer is wrong or doubtful: the cache lets go of it" });
  addCorrect(review, context);
  addHistory(review, context);
}

function addList(review: Command, context: CliContext): void {
  const { terminal } = context;
  review
    .command("list")
    .description("questions that wait, those that need it most first")
    .option("--domain <name>", "body of knowledge")
    .addOption(new Option("--status <status>", "only these, whether they wait or not").choices(["unreviewed", "approved", "flagged"]))
    .option("--limit <number>", "how many", toCount)
    .option("--json", "as JSON")
    .action(async ({ domain, status, limit, json }: ListFlags, command: Command) => {
      await withEngine(context, configOf(context, command), async ({ memory }) => {
        const items = await memory.review.queue({ domain, status, limit });
        terminal.print(json ? JSON.stringify(items.map(queueItemToWire), null, 2) : renderQueue(items, terminal.colors));
      });
    });
}

function addShow(review: Command, context: CliContext): void {
  const { terminal } = context;
  review
    .command("show")
    .description("one answer with all that is known of it")
    .argument("<id>")
    .option("--json", "as JSON")
    .action(async (id: string, { json }: ActFlags, command: Command) => {
      await withEngine(context, configOf(context, command), async (engine) => {
        const shown = await engine.memory.review.show(id);
        terminal.print(json ? JSON.stringify(reviewToWire(shown), null, 2) : renderReview(shown, terminal.colors));
      });
    });
}

function addDecision(
  review: Command,
  context: CliContext,
  { name, what }: { readonly name: "approve" | "flag"; readonly what: string },
): void {
  const { terminal } = context;
  review
    .command(name)
    .description(what)
    .argument("<id>")
    .option("--by <name>", "who acts, for the audit log", userName())
    .action(async (id: string, { by }: ActFlags, command: Command) => {
      await withEngine(context, configOf(context, command), async ({ memory }) => {
        await memory.review[name](id, by);
        terminal.print(name === "approve" ? `Approved ${id}.` : `Flagged ${id}.`);
        if (name === "flag" && (await memory.review.show(id)).curated?.status === "served")
          terminal.error("A correction is still served in its place: to withdraw that, ask the question and flag the new answer's id.");
      });
    });
}

function addCorrect(review: Command, context: CliContext): void {
  const { terminal } = context;
  review
    .command("correct")
    .description("another answer in its place, served first until one of its documents changes")
    .argument("<id>")
    .requiredOption(
      "--answer <file>",
      "sentences that each cite [n]; lines such as `[1]: path` at the end name documents; - reads the standard input",
    )
    .option("--by <name>", "who acts, for the audit log", userName())
    .action(async (id: string, { answer: file, by }: ActFlags, command: Command) => {
      const given = await readText(file, context);
      await withEngine(context, configOf(context, command), async ({ memory }) => {
        const answer = await memory.review.correct(id, given, by);
        terminal.print(renderAnswer(answer, terminal.colors).split("\n").slice(0, -2).join("\n"));
        terminal.error(`Stored in place of ${id}. ${servedWhere(await memory.review.show(id))}`);
      });
    });
}

function addHistory(review: Command, context: CliContext): void {
  const { terminal } = context;
  review
    .command("history")
    .description("who did what, newest first, and whether the log is intact")
    .option("--id <id>", "only of this answer")
    .option("--limit <number>", "how many", toCount)
    .option("--json", "as JSON")
    .action(async ({ id, limit, json }: { id?: string; limit?: number; json?: boolean }, command: Command) => {
      await withEngine(context, configOf(context, command), async ({ memory }) => {
        const history = await memory.review.history({ id, limit });
        terminal.print(json ? JSON.stringify(historyToWire(history), null, 2) : renderHistory(history, terminal.colors));
        if (!history.chain.intact) context.exitCode = EXIT.found;
      });
    });
}

const EXAMPLES = `
Examples:
  sourcebound review list
  sourcebound review show 3f0c…
  sourcebound review approve 3f0c… --by "Ann Lee"
  sourcebound review correct 3f0c… --answer better.txt
  sourcebound review history

better.txt:
  A Higher-Level Review must be asked for within one year [1].

  [1]: documents/decision-reviews.md

Exit code of history: 0 intact, 5 the log was changed by another hand.`;

/** To which question a correction is served. */
function servedWhere({ question, within }: Pick<ShownReview, "question" | "within">): string {
  const asked = `Served from now on where "${harmlessLine(question)}" is asked`;
  if (within === null) return `${asked} of all documents; with filters it is answered as before.`;
  return `${asked} within ${harmlessLine(within)}; asked otherwise it is answered as before.`;
}

/** A file that the user named, or the standard input. */
async function readText(file: string, context: CliContext): Promise<string> {
  try {
    return file === "-" ? await text(context.process.stdin) : readFileSync(pathOf(context, file), "utf8");
  } catch (cause) {
    throw new RequestError("answer_unreadable", `${file} cannot be read: ${messageOf(cause)}`, { file }, { cause });
  }
}

export function renderQueue(items: readonly QueuedQuestion[], colors: Terminal["colors"]): string {
  if (items.length === 0) return "Nothing waits for review.";
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
  if (within !== null) lines.push(`Asked within: ${harmlessLine(within)}`);
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
    lines.push(renderAnswer(curated.answer, colors).split("\n").slice(0, -2).join("\n"));
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
      : colors.red(`Not intact: row ${chain.brokenAt} does not follow from the one before it; rows were changed, taken out or put in.`),
  );
  return lines.join("\n");
}
