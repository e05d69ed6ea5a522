import { type Command, InvalidArgumentError } from "commander";
import type { Cause, DiffEvent, DocumentChange, Replayed, ReplayedNow, Said } from "../../engine/replay-types.ts";
import { type CliContext, EXIT, pathOf } from "../context.ts";
import { harmless } from "../harmless.ts";
import { configOf, withEngine } from "../open.ts";

interface ReplayFlags {
  domain?: string;
  tenant?: string;
  json?: boolean;
}

export function addReplayCommands(program: Command, context: CliContext): void {
  addReplay(program, context);
  addDiffCorpus(program, context);
}

function addReplay(program: Command, context: CliContext): void {
  const { terminal, signal } = context;
  program
    .command("replay")
    .description("makes a stored answer again, byte for byte, from the documents, settings and model output of then")
    .argument("<id>", "id of the answer, as `ask --json` gives it")
    .option("--now", "also with today's documents and settings: what would change, and which edit or setting does it")
    .option("--domain <name>", "body of knowledge")
    .option("--tenant <name>", "party inside the domain that asked")
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      `
Exit code: 0 identical (and with --now unchanged), 5 something differs, 1 failed, 2 wrong usage.

Examples:
  sourcebound replay 7c9e6679-7425-40de-944b-e07fc1f90ae7
  sourcebound replay --now 7c9e6679-7425-40de-944b-e07fc1f90ae7 --json | jq .causes`,
    )
    .action(async (id: string, { now, json, ...flags }: ReplayFlags & { now?: boolean }, command: Command) => {
      await withEngine(context, configOf(context, command), async (engine) => {
        const options = { ...flags, signal };
        const replayed = now ? await engine.replayNow(id, options) : await engine.replay(id, options);
        terminal.print(json ? JSON.stringify(toWire(replayed), null, 2) : renderReplay(replayed));
        const isSame = replayed.identical && !("changed" in replayed && replayed.changed);
        context.exitCode = isSame ? EXIT.done : EXIT.found;
      });
    });
}

function addDiffCorpus(program: Command, context: CliContext): void {
  const { terminal, signal } = context;
  program
    .command("diff-corpus")
    .description("stored answers that an edited folder would change, before it is ingested; nothing is stored")
    .argument("<folder>", "the edited documents")
    .option("--source <name>", "source whose folder it takes the place of; the only one of the domain without it")
    .option("--limit <n>", "latest stored answers that are asked again, each question once (default 1000)", parseCount)
    .option("--domain <name>", "body of knowledge")
    .option("--tenant <name>", "answers to this party inside the domain")
    .option("--json", "as JSON lines")
    .addHelpText(
      "after",
      `
Exit code: 0 no answer changes, 5 some do, 1 failed, 2 wrong usage.

Examples:
  sourcebound diff-corpus ./my-documents-edited
  sourcebound diff-corpus ./edited --source /home/me/documents --json | jq 'select(.type == "changed").answer.question'`,
    )
    .action(async (folder: string, { json, ...flags }: ReplayFlags & { source?: string; limit?: number }, command: Command) => {
      await withEngine(context, configOf(context, command), async (engine) => {
        for await (const event of engine.diffCorpus(pathOf(context, folder), { ...flags, signal })) {
          if (event.type === "progress") terminal.progress(`${event.done}/${event.total} answers`);
          else terminal.print(json ? JSON.stringify(event) : renderDiff(event));
          if (event.type === "end") context.exitCode = event.changed > 0 ? EXIT.found : EXIT.done;
        }
      });
    });
}

function toWire({ servedFrom, ...replayed }: Replayed | ReplayedNow): object {
  return { ...replayed, served_from: servedFrom };
}

function renderReplay(replayed: Replayed | ReplayedNow): string {
  const { question, identical, differs, servedFrom } = replayed;
  return [
    harmless(question),
    ...(servedFrom === null ? [] : [`Served from memory; it was made as ${servedFrom}.`]),
    identical ? "Identical: the answer came out byte for byte." : `Different in ${differs.join(", ")}.`,
    ...("now" in replayed ? renderNow(replayed) : []),
  ].join("\n");
}

function renderNow({ changed, causes, was, now }: ReplayedNow): string[] {
  if (!changed) return ["Today it would say the same."];
  return ["Today it would say something else:", ...renderBoth(was, now), ...causes.map((cause) => `because of ${describeCause(cause)}`)];
}

function describeCause(cause: Cause): string {
  switch (cause.type) {
    case "edit":
      return `the edit of ${harmless(cause.path)} (${cause.change})`;
    case "edits":
      return `these edits together: ${cause.paths.map(harmless).join(", ")}`;
    case "settings":
      return `the settings ${cause.settings.map(({ setting, before, after }) => harmless(`${setting}: ${before} → ${after}`)).join("; ")}`;
    case "both":
      return "edits and settings together";
    default:
      return cause satisfies never;
  }
}

function renderBoth(before: Said, after: Said): string[] {
  const lines = ({ status, sentences }: Said, mark: string) =>
    (sentences.length === 0 ? [`(${status})`] : sentences).map((text) => `${mark} ${harmless(text)}`);
  return [...lines(before, "-"), ...lines(after, "+")];
}

function renderDiff(event: Exclude<DiffEvent, { type: "progress" }>): string {
  if (event.type === "changed") {
    const { question, before, after, id } = event.answer;
    return [`${harmless(question)}  (${id})`, ...renderBoth(before, after), ""].join("\n");
  }
  const { asked, changed, documents } = event;
  return [
    `${documents.length} documents differ${documents.length === 0 ? "." : `: ${documents.map(nameOf).join(", ")}.`}`,
    `${changed} of ${asked} stored answers would change.`,
  ].join("\n");
}

function nameOf({ path, change }: DocumentChange): string {
  return `${harmless(path)} (${change})`;
}

function parseCount(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError("It must be a whole number from 1 to 999999.");
  return Number(text);
}
