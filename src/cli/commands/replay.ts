import type { Command } from "commander";
import { toSnakeCase } from "../../text/snake-case.ts";
import { DOMAIN, define, JSON_OUT, printResult } from "../command.ts";
import { type CliContext, EXIT } from "../context.ts";
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
      printResult(terminal, json, toSnakeCase(replayed));
      const isSame = replayed.identical && !("changed" in replayed && replayed.changed);
      context.exitCode = isSame ? EXIT.done : EXIT.found;
    },
  });
}
