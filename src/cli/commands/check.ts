import type { Command } from "commander";
import type { VerifiedAnswer, VerifiedSentence } from "../../answer/verify-answer.ts";
import { type CliContext, EXIT, pathOf } from "../context.ts";
import { harmless, harmlessLine } from "../harmless.ts";
import { configOf } from "../open.ts";
import type { Terminal } from "../terminal.ts";

interface CheckFlags {
  question: string;
  answer: string;
  sources: string;
  profile?: string;
  domain?: string;
  tenant?: string;
  json?: boolean;
}

export function addCheckCommand(program: Command, context: CliContext): void {
  program
    .command("check")
    .description("check an answer that somebody else wrote against a folder of sources")
    .requiredOption("--question <text>", "what was asked")
    .requiredOption("--answer <text>", "the answer; - reads it from the standard input")
    .requiredOption("--sources <folder>", "documents of every kind that ingest reads; [n] in the answer cites the n-th file by path")
    .option("--profile <name>", "profile whose checks run")
    .option("--domain <name>", "domain pack whose hosts, contacts and tenants apply")
    .option("--tenant <name>", "tenant whose terms apply")
    .option("--json", "everything that was found, as JSON")
    .addHelpText(
      "after",
      `
The n-th file is counted over the files of kinds that are read; one that is empty or cannot be read keeps its number, and an entry of a
JSON list has a number of its own. What is printed ends with every number and its file.

Exit code: 0 every check passed, 5 something was found, 1 failed, 2 wrong usage.

Examples:
  sourcebound check --question "How long?" --answer "You have one year [1]." --sources ./documents
  cat answer.txt | sourcebound check --question "How long?" --answer - --sources ./documents --json`,
    )
    .action(async (flags: CheckFlags, command: Command) => {
      const { terminal, signal } = context;
      const { MAX_ANSWER_CHARACTERS, verifyAnswer } = await import("../../answer/verify-answer.ts");
      const answer = flags.answer === "-" ? await readAnswer(context.process.stdin, MAX_ANSWER_CHARACTERS) : flags.answer;
      const domain = flags.domain === undefined && flags.tenant === undefined ? undefined : await domainOf(flags, command, context);
      const options = { profile: flags.profile, domain, tenant: flags.tenant, signal };
      const verified = await verifyAnswer(flags.question, answer, pathOf(context, flags.sources), options);
      terminal.print(flags.json ? JSON.stringify(verified, null, 2) : renderVerified(verified, terminal.colors));
      context.exitCode = verified.passed ? EXIT.done : EXIT.found;
    });
}

/** The standard input as text; of one that is too long only so much that this shows. */
async function readAnswer(input: AsyncIterable<Buffer>, limit: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of input) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > 4 * limit) break;
  }
  const text = Buffer.concat(chunks).toString("utf8");
  return bytes > 4 * limit ? text.slice(0, limit + 1) : text;
}

async function domainOf({ domain, tenant }: CheckFlags, command: Command, context: CliContext) {
  const { loadDomain, tenantOf } = await import("../../engine/domain.ts");
  const config = configOf(context, command);
  const pack = loadDomain(domain ?? config.domain, config.domains_dir);
  tenantOf(pack, tenant);
  return pack;
}

/** Sentence by sentence: verdict, what found something, and the source at its exact characters. */
export function renderVerified({ sources, unreadable, sentences, checks, passed }: VerifiedAnswer, colors: Terminal["colors"]): string {
  const faults = sentences.filter(({ verdict }) => verdict !== "pass").length;
  const lines = sentences.flatMap((sentence, i) => [...sentenceLines(sentence, i + 1, colors), ""]);
  for (const { name, verdict, reason } of checks) lines.push(`${mark(verdict, colors)} answer: ${name}: ${harmlessLine(reason)}`);
  if (checks.length > 0) lines.push("");
  lines.push(
    colors.bold("Sources"),
    ...sourceLines(sources, unreadable, colors),
    "",
    passed ? colors.green("Every check passed.") : colors.yellow(`Something was found in ${faults} of ${sentences.length} sentences.`),
  );
  return lines.join("\n");
}

/** Every number with its file, and behind them what no number cites. */
function sourceLines(
  sources: VerifiedAnswer["sources"],
  unreadable: VerifiedAnswer["unreadable"],
  { yellow }: Terminal["colors"],
): string[] {
  const numbered = [
    ...sources.map(({ n, path, title }) => ({ n, line: `[${n}] ${harmlessLine(path)}${title === "" ? "" : `: ${harmlessLine(title)}`}` })),
    ...unreadable.map(({ n, path, reason }) => ({
      n: n ?? Number.POSITIVE_INFINITY,
      line: yellow(`${n === null ? "no number, " : `[${n}] `}not read: ${harmlessLine(path)}: ${harmlessLine(reason)}`),
    })),
  ];
  return numbered.sort((a, b) => (a.n === b.n ? 0 : a.n - b.n)).map(({ line }) => line);
}

function sentenceLines(sentence: VerifiedSentence, n: number, colors: Terminal["colors"]): string[] {
  const { text, verdict, status, reason, checks, passage, citations, searched } = sentence;
  const lines = [`${mark(verdict, colors)} ${n}. ${harmless(text)}`];
  const found = checks.filter((check) => check.verdict !== "pass");
  for (const check of found) lines.push(`     ${check.name} ${check.verdict}: ${harmlessLine(check.reason)}`);
  if (found.length === 0) lines.push(colors.dim(`     ${status}: ${harmlessLine(reason)}`));
  if (passage === null) return lines;
  const cited = searched ? "nearest" : citations.includes(passage.source) ? "cites" : "nearest";
  lines.push(
    colors.dim(
      `     ${cited} [${passage.source}] ${harmlessLine(passage.path)}, characters ${passage.start}–${passage.end}: “${harmlessLine(passage.text)}”`,
    ),
  );
  return lines;
}

function mark(verdict: VerifiedSentence["verdict"], colors: Terminal["colors"]): string {
  if (verdict === "pass") return colors.green("pass    ");
  return verdict === "fail" ? colors.red("fail    ") : colors.yellow(verdict.padEnd(8));
}
