import { type Command, InvalidArgumentError, Option } from "commander";
import { stringify } from "yaml";
import type { Engine } from "../engine/engine.ts";
import { type CliContext, configOf, withEngine } from "./context.ts";
import { harmlessLine, type Terminal } from "./terminal.ts";

interface OptionDetails {
  readonly parse?: (text: string, before: never) => unknown;
  readonly choices?: readonly string[];
  readonly default?: unknown;
  readonly required?: true;
  /** Environment variable that sets the same option. */
  readonly env?: string;
}

/** An option in commander's syntax: `["--base-url <url>", "description"]`. */
type OptionSpec = readonly [flags: string, description: string, details?: OptionDetails];
type ArgumentSpec = readonly [name: string, description?: string, parse?: (text: string) => unknown];

type Camel<Name extends string> = Name extends `${infer Head}-${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : Name;
/** Name under which the value of an option is stored: its last name, in camel case. */
type NameOf<Flags> = Flags extends `${string}, ${infer Last}`
  ? NameOf<Last>
  : Flags extends `--no-${infer Name}`
    ? Camel<Name>
    : Flags extends `--${infer Name} <${string}`
      ? Camel<Name>
      : Flags extends `--${infer Name}`
        ? Camel<Name>
        : never;
type TextOf<Flags, Text> = Flags extends `${string}...>` ? Text[] : Flags extends `${string}>` ? Text : boolean;
type ValueOf<Spec extends OptionSpec> = Spec[2] extends { parse: (...given: never[]) => infer Value }
  ? Value
  : TextOf<Spec[0], Spec[2] extends { choices: readonly (infer Choice)[] } ? Choice : string>;
type FlagOf<Spec extends OptionSpec> = Spec[2] extends { default: unknown } | { required: true }
  ? ValueOf<Spec>
  : ValueOf<Spec> | undefined;
/** Values of the declared options, by name. */
export type FlagsOf<Specs extends readonly OptionSpec[]> = { readonly [Spec in Specs[number] as NameOf<Spec[0]>]: FlagOf<Spec> };
type GivenOf<Spec extends ArgumentSpec | undefined> = Spec extends ArgumentSpec
  ? Spec[0] extends `${string}...${string}`
    ? readonly string[]
    : Spec[0] extends `[${string}`
      ? string | undefined
      : string
  : undefined;

interface Call<Flags, Given> extends Pick<CliContext, "terminal" | "signal"> {
  readonly flags: Flags;
  readonly given: Given;
  /** The second argument; "" if the command has only one. */
  readonly second: string;
  readonly command: Command;
  readonly context: CliContext;
}

/** Adds a command to its parent. */
type AddCommand = (parent: Command, context: CliContext) => Command;

interface CommandSpec<Specs extends readonly OptionSpec[], Argument extends ArgumentSpec | undefined> {
  readonly description: string;
  readonly argument?: Argument;
  /** A second, required argument. */
  readonly second?: readonly [name: string, description: string];
  readonly options?: Specs;
  /** Text below the list of options, such as exit codes and examples. */
  readonly help?: string;
  readonly commands?: readonly AddCommand[];
  /** Runs without an engine: the whole command, or checks of its options before `use`. It may open an engine itself. */
  readonly run?: (call: Call<FlagsOf<Specs>, GivenOf<Argument>>) => Promise<void> | void;
  /** Runs with an engine, which is closed afterwards. */
  readonly use?: (engine: Engine, call: Call<FlagsOf<Specs>, GivenOf<Argument>>) => Promise<void> | void;
}

export const DOMAIN = ["--domain <name>", "domain to use"] as const;
export const TENANT = ["--tenant <name>", "tenant of the domain whose documents and terms apply"] as const;
export const PROFILE = ["--profile <name>", "profile to answer with: a named set of methods and thresholds; see `profiles`"] as const;
export const JSON_OUT = ["--json", "print JSON"] as const;

/** Defines a command. The function that it returns adds the command to its parent. */
export function define<const Specs extends readonly OptionSpec[] = [], const Argument extends ArgumentSpec | undefined = undefined>(
  name: string,
  { description, argument, second, options, help, commands = [], run, use }: CommandSpec<Specs, Argument>,
): AddCommand {
  return (parent, context) => {
    const command = parent.command(name).description(description);
    if (argument?.[2] !== undefined) command.argument(argument[0], argument[1] ?? "", argument[2]);
    else if (argument !== undefined) command.argument(argument[0], argument[1]);
    if (second !== undefined) command.argument(...second);
    for (const spec of options ?? []) command.addOption(toOption(spec));
    if (help !== undefined) command.addHelpText("after", help);
    for (const add of commands) add(command, context);
    if (run === undefined && use === undefined) return command;
    return command.action(async (...all: unknown[]) => {
      const flags = command.opts() as FlagsOf<Specs>;
      const given = (argument === undefined ? undefined : all[0]) as GivenOf<Argument>;
      const { terminal, signal } = context;
      const call = { flags, given, second: String(all[1]), command, context, terminal, signal };
      await run?.(call);
      if (use !== undefined) await withEngine(context, configOf(context, command), async (engine) => use(engine, call));
    });
  };
}

function toOption([flags, description, details = {}]: OptionSpec): Option {
  const option = new Option(flags, description);
  if (details.parse !== undefined) option.argParser(details.parse as (text: string) => unknown);
  if (details.choices !== undefined) option.choices(details.choices);
  if (details.default !== undefined) option.default(details.default);
  if (details.env !== undefined) option.env(details.env);
  return option.makeOptionMandatory(details.required === true);
}

/** Formats a command line that repeats a command with these options. Options without a value are left out. */
export function commandLine(name: string, options: readonly OptionSpec[], flags: Readonly<Record<string, unknown>>): string {
  const given = options.map(toOption).flatMap((option) => {
    const value = flags[option.attributeName()];
    return value === undefined ? [] : [`${option.long} ${value}`];
  });
  return [name, ...given].join(" ");
}

/** Prints a result: as JSON if `json` is set, otherwise as text. @param text renders the text. @default YAML of `value` */
export function printResult({ print }: Pick<Terminal, "print">, json: boolean | undefined, value: unknown, text?: () => string): void {
  print(json ? JSON.stringify(value, null, 2) : (text?.() ?? renderRecord(value)));
}

/** Renders a record as YAML. Control characters for the terminal are escaped. */
export function renderRecord(record: unknown): string {
  const safe = (_: unknown, value: unknown) => (typeof value === "string" ? harmlessLine(value) : value);
  return stringify(record, safe, { aliasDuplicateObjects: false, lineWidth: 0 }).trimEnd();
}

/**
 * Returns a parser for options whose value is a number.
 * @param pattern form of a valid number
 * @param expected description of valid values, for the error message
 */
export function numberOf(pattern: RegExp, expected: string): (text: string) => number {
  return (text) => {
    if (!pattern.test(text)) throw new InvalidArgumentError(`use ${expected}.`);
    return Number(text);
  };
}

export const toWhole = numberOf(/^\d{1,6}$/, "a whole number from 0 to 999999");
export const toCount = numberOf(/^[1-9]\d{0,5}$/, "a whole number from 1 to 999999");

export function toTime(text: string): string {
  const isTime = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/.test(text) && !Number.isNaN(Date.parse(text));
  if (!isTime) throw new InvalidArgumentError('use a date such as 2026-11-01, or a time such as "2026-11-01T12:00:00Z".');
  return new Date(text).toISOString();
}
