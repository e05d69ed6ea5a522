import { readdirSync } from "node:fs";
import { type Command, Option } from "commander";
import { type CliContext, configOf } from "../../src/cli/context.ts";
import { type ChosenFolders, chooseGoldenSets } from "../../src/grading/choose-sets.ts";
import { renderTable, writeReport } from "../../src/grading/report.ts";
import type { Config } from "../../src/shared/config.ts";
import { RequestError } from "../../src/shared/errors.ts";
import { didYouMean } from "../../src/text/spelling.ts";
import type { RetrievalEvent } from "../runs/retrieval.ts";
import type { EvaluateEvent } from "../runs/va.ts";
import { unpackSets } from "../sets/unpack-sets.ts";

/** Default domain pack of an evaluation. With `pack: null` the installation's default applies. */
const DEFAULT_PACK = "veterans";

type Events = AsyncIterable<EvaluateEvent | RetrievalEvent>;

/** Arguments of every evaluation besides its options. */
interface Given {
  readonly config: Config;
  /** The command with every option that affects the figures. */
  readonly command: string;
  readonly signal: AbortSignal;
}

export interface Measurement<Flags> {
  readonly name: string;
  readonly description: string;
  /** Flag, description and default; a flag that begins with `!` is required. */
  readonly options: readonly (Option | readonly [flag: string, description: string, value?: string])[];
  /** Options that do not affect the figures, such as folders of caches. */
  readonly beside?: readonly string[];
  readonly pack?: string | null;
  readonly examples?: string;
  /** Imports its dependencies on demand, so that help and usage errors do not load them. */
  run(flags: Flags, given: Given): Promise<Events> | Events;
}

export type Measure = <Flags extends object>(measurement: Measurement<Flags>) => void;

/** Creates a function that adds an evaluation to `eval`, with progress on stderr, a table on stdout, and a report with `--json`. */
export function createMeasure(evaluate: Command, context: CliContext): Measure {
  return ({ name, description, options, beside = [], pack = DEFAULT_PACK, examples, run }) => {
    const command = evaluate.command(name).description(description);
    for (const one of options) {
      if (one instanceof Option) command.addOption(one);
      else if (one[0].startsWith("!")) command.requiredOption(one[0].slice(1), one[1], one[2]);
      else command.option(one[0], one[1], one[2]);
    }
    command.option("--json <file>", "write the whole report");
    if (examples !== undefined) command.addHelpText("after", `\nExamples:\n${examples}`);
    command.action(async ({ json, ...flags }: { json?: string }) => {
      const config = configOf(context, command, {}, pack === null ? {} : { domain: pack });
      const line = `eval ${name}${givenOptions(command, [...beside, "json"])}`;
      const events = await run(flags as never, { config, command: line, signal: context.signal });
      for await (const event of events) show(event, json, context);
    });
  };
}

function show(event: EvaluateEvent | RetrievalEvent, json: string | undefined, { terminal }: CliContext): void {
  if (event.type === "progress") {
    terminal.progress("done" in event ? `${event.done}/${event.total} ${event.what}` : event.what);
    return;
  }
  terminal.print(terminal.colors.bold(`${event.report.name}: ${event.report.command}`));
  terminal.print(renderTable(event.table));
  if (json !== undefined) writeReport(json, event.report);
}

/** Formats a command's options, including defaults, except those that do not affect the figures. */
export function givenOptions(command: Command, beside: readonly string[]): string {
  return command.options
    .filter((option) => !beside.includes(option.attributeName()))
    .map((option) => {
      const value = command.getOptionValue(option.attributeName());
      if (typeof value === "boolean") return value !== option.negate ? ` ${option.long}` : "";
      return value === undefined || option.negate ? "" : ` ${option.long} ${value}`;
    })
    .join("");
}

/** @throws RequestError `config_invalid` */
export function countOf(text: string, option: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new RequestError("config_invalid", `${option} ${text} is not a number of questions: give a whole number from 1.`);
}

/** @throws RequestError `config_invalid` */
export function seedOf(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new RequestError("config_invalid", `--seed ${text} is no seed: give a whole number from 0.`);
}

/** @throws RequestError `unknown_set` with the nearest known name */
export function namesOf<Name extends string>(list: string, known: readonly Name[]): Name[] {
  return list.split(",").map((name) => {
    const found = known.find((one) => one === name.trim());
    if (found !== undefined) return found;
    throw new RequestError("unknown_set", `There is no set "${name}".${didYouMean(name, known)} Known: ${known.join(", ")}.`);
  });
}

export interface SetsFlags {
  readonly data?: string;
  readonly domains?: string;
}

/** Options of evaluations on golden sets. */
export const SETS = [
  new Option("--data <folder>", "folder of sets: golden/NAME, or NAME-pages with NAME-golden").env("SOURCEBOUND_DATA"),
  ["--domains <names>", "comma-separated: only these sets"],
] as const;

/** @throws RequestError `config_invalid` */
export function dataOf({ data }: SetsFlags): string {
  if (data !== undefined) return unpackSets(data);
  throw new RequestError("config_invalid", "There is nothing to ask: give the folder of sets with --data or SOURCEBOUND_DATA.");
}

export function setsOf(flags: SetsFlags): ChosenFolders[] {
  return chooseGoldenSets(dataOf(flags), flags.domains);
}

/** Returns the sets with a matching file; every set named with `--domains` must have one. @throws RequestError `golden_missing` */
export function setsWith(flags: SetsFlags, pattern: RegExp): (ChosenFolders & { files: string[] })[] {
  const sets = setsOf(flags).map((set) => ({ ...set, files: readdirSync(set.golden).filter((name) => pattern.test(name)) }));
  const held = sets.filter(({ files }) => files.length > 0);
  const isLacking = flags.domains === undefined ? held.length === 0 : held.length < sets.length;
  if (!isLacking) return held;
  const names = sets.flatMap(({ name, files }) => (files.length === 0 ? [name] : []));
  const message = `No file of the kind that is asked for (${pattern.source}) stands in the sets ${names.join(", ")}.`;
  throw new RequestError("golden_missing", message);
}
