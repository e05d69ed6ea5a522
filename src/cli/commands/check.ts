import type { Command } from "commander";
import type { VerifiedAnswer, VerifiedSentence } from "../../pipeline/verify-answer.ts";
import { define, PROFILE, printResult } from "../command.ts";
import { type CliContext, configOf, EXIT, pathOf, readInput } from "../context.ts";
import { harmless, harmlessLine, type Terminal } from "../terminal.ts";

export const addCheckCommand = define("check", {
  description: "check an answer written elsewhere against a folder of sources",
  options: [
    ["--question <text>", "the question that was asked", { required: true }],
    ["--answer <text>", "the answer; - reads it from standard input", { required: true }],
    [
      "--sources <folder>",
      "folder of source files, in any format that `ingest` supports; [n] in the answer cites the n-th file, sorted by path",
      { required: true },
    ],
    PROFILE,
    ["--domain <name>", "domain pack that supplies the allowed web hosts, the contacts and the tenants' terms"],
    ["--tenant <name>", "tenant whose terms the answer must use"],
    ["--json", "print all findings as JSON"],
  ],
  help: `
Files in supported formats are numbered by path. An empty or unreadable file keeps its number, and each entry of a JSON list gets its own
number. The output ends with a list of all numbers and files.

Exit code: 0 every check passed, 5 faults were found, 1 failed, 2 usage error.

Examples:
  sourcebound check --question "How long?" --answer "You have one year [1]." --sources ./documents
  cat answer.txt | sourcebound check --question "How long?" --answer - --sources ./documents --json`,
  async run({ flags, command, context, terminal, signal }) {
    const { question, profile, domain: name, tenant } = flags;
    const { MAX_ANSWER_CHARACTERS, verifyAnswer } = await import("../../pipeline/verify-answer.ts");
    const answer = flags.answer === "-" ? await readAnswer(context, MAX_ANSWER_CHARACTERS) : flags.answer;
    const domain = name === undefined && tenant === undefined ? undefined : await domainOf(name, tenant, command, context);
    const verified = await verifyAnswer(question, answer, pathOf(context, flags.sources), { profile, domain, tenant, signal });
    printResult(terminal, flags.json, verified, () => renderVerified(verified, terminal.colors));
    context.exitCode = verified.passed ? EXIT.done : EXIT.found;
  },
});

/**
 * Reads standard input as text. Reading stops soon after `4 * limit` bytes. The result then has one character more than
 * `limit`, so that validation rejects it.
 */
async function readAnswer(context: CliContext, limit: number): Promise<string> {
  const input = await readInput(context, 4 * limit);
  const text = input.toString("utf8");
  return input.length > 4 * limit ? text.slice(0, limit + 1) : text;
}

async function domainOf(domain: string | undefined, tenant: string | undefined, command: Command, context: CliContext) {
  const { loadDomain, tenantOf } = await import("../../engine/domain.ts");
  const config = configOf(context, command);
  const pack = loadDomain(domain ?? config.domain, config.domains_dir);
  tenantOf(pack, tenant);
  return pack;
}

/** Renders the verdict of each sentence, with the findings and their places in the sources. */
export function renderVerified({ sources, unreadable, sentences, checks, passed }: VerifiedAnswer, colors: Terminal["colors"]): string {
  const faults = sentences.filter(({ verdict }) => verdict !== "pass").length;
  const lines = sentences.flatMap((sentence, i) => [...sentenceLines(sentence, i + 1, colors), ""]);
  for (const { name, verdict, reason } of checks) lines.push(`${mark(verdict, colors)} answer: ${name}: ${harmlessLine(reason)}`);
  if (checks.length > 0) lines.push("");
  // List sources by number, then unreadable files that have no number.
  const listed = [
    ...sources.map(({ n, path, title }) => ({ n, line: `[${n}] ${harmlessLine(title === "" ? path : `${path}: ${title}`)}` })),
    ...unreadable.map(({ n, path, reason }) => {
      const line = colors.yellow(`${n === null ? "no number: " : `[${n}] `}${harmlessLine(`${path} could not be read: ${reason}`)}`);
      return { n: n ?? Number.MAX_SAFE_INTEGER, line };
    }),
  ].sort((a, b) => a.n - b.n);
  lines.push(
    colors.bold("Sources"),
    ...listed.map(({ line }) => line),
    "",
    passed ? colors.green("Every check passed.") : colors.yellow(`Faults were found in ${faults} of ${sentences.length} sentences.`),
  );
  return lines.join("\n");
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
