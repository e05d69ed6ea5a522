import type { Command } from "commander";
import type { Cause, Replayed, ReplayedNow, Said } from "../../engine/service-types.ts";
import { DOMAIN, define, JSON_OUT, printResult } from "../command.ts";
import { type CliContext, EXIT } from "../context.ts";
import { harmless } from "../terminal.ts";
import { ASKED_AS } from "./prove.ts";

export function addReplayCommand(program: Command, context: CliContext): void {
  const { terminal, signal } = context;
  define(program, context, "replay", {
    description: "makes a stored answer again, byte for byte, from the documents, settings and model output of then",
    argument: ["<id>", "id of the answer, as `ask --json` gives it"],
    options: [
      ["--now", "also with today's documents and settings: what would change, and which edit or setting does it"],
      DOMAIN,
      ASKED_AS,
      JSON_OUT,
    ],
    help: `
Exit code: 0 identical (and with --now unchanged), 5 something differs, 1 failed, 2 wrong usage.

Examples:
  sourcebound replay 7c9e6679-7425-40de-944b-e07fc1f90ae7
  sourcebound replay --now 7c9e6679-7425-40de-944b-e07fc1f90ae7 --json | jq .causes`,
    async use(engine, { flags: { now, json, ...scope }, given }) {
      const options = { ...scope, signal };
      const replayed = now ? await engine.replayNow(given, options) : await engine.replay(given, options);
      printResult(terminal, json, toWire(replayed), () => renderReplay(replayed));
      const isSame = replayed.identical && !("changed" in replayed && replayed.changed);
      context.exitCode = isSame ? EXIT.done : EXIT.found;
    },
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
