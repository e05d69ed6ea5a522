import pc from "picocolors";
import type { EngineParts } from "../engine/engine.ts";
import { failureOf, SourceboundError, warningsOf } from "../shared/errors.ts";

/** The part of a process that a command line uses: `process` itself, or a fake. */
export interface CliProcess {
  readonly stdout: { write(text: string): unknown; readonly isTTY?: boolean };
  readonly stderr: { write(text: string): unknown; readonly isTTY?: boolean; readonly columns?: number };
  readonly stdin: AsyncIterable<Buffer> & { destroy(): unknown };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Returns the folder against which relative paths are resolved. */
  cwd(): string;
  /** Parts of the engine that are shared by all engines of this process. */
  readonly engine?: Pick<EngineParts, "embedded" | "reader" | "words">;
}

/** Prints results to stdout, progress and errors to stderr. Colours are used only on a terminal that supports them. */
export type Terminal = ReturnType<typeof createTerminal>;

/** Minimum milliseconds between two progress lines if the output is not a terminal. */
const PLAIN_PROGRESS_MS = 1000;

export function createTerminal({ stdout, stderr, env }: Pick<CliProcess, "stdout" | "stderr" | "env">) {
  // `./run` passes the command that the user typed.
  const command = env.SOURCEBOUND_COMMAND || "sourcebound";
  const asTyped = (text: string) => text.replaceAll(/\bsourcebound (?=[a-z]+\b)/g, `${command} `);
  const wantsColor = env.NO_COLOR === undefined && env.TERM !== "dumb";
  const colors = pc.createColors(wantsColor && stdout.isTTY === true);
  const errorColors = pc.createColors(wantsColor && stderr.isTTY === true);
  let open = false;
  let lastPlain = 0;
  const endProgress = () => {
    if (open) stderr.write("\n");
    open = false;
  };
  const errorLine = (text: string) => {
    endProgress();
    stderr.write(`${text}\n`);
  };
  return {
    /** The command that the user types: `sourcebound`, or `./run` in a clone of the repository. */
    command,
    colors,
    /** Replaces `sourcebound COMMAND` in messages of this program by the command that the user types. */
    asTyped,
    /** Prints a line unchanged. Escape untrusted text with `harmless` first. */
    print(text: string) {
      endProgress();
      stdout.write(`${text}\n`);
    },
    error: (text: string) => errorLine(harmless(asTyped(text))),
    /** Prints a line on stderr, which the next call overwrites. If stderr is no terminal, prints at most one line per second. */
    progress(given: string) {
      const text = harmlessLine(given);
      if (stderr.isTTY === true) {
        stderr.write(`\r\u001B[2K${text.slice(0, (stderr.columns ?? 80) - 1)}`);
        open = true;
      } else if (Date.now() - lastPlain >= PLAIN_PROGRESS_MS) {
        lastPlain = Date.now();
        stderr.write(`${text}\n`);
      }
    },
    endProgress,
    /** Reports an error on stderr and, if `json` is set, as JSON on stdout. */
    fail(thrown: unknown, json: boolean) {
      const { code, message: plain } = failureOf(thrown);
      const warnings = warningsOf(thrown);
      const message = asTyped(plain);
      const problem = { code, message, ...(warnings.length === 0 ? {} : { warnings }) };
      if (json) stdout.write(`${JSON.stringify({ error: problem })}\n`);
      errorLine(`${errorColors.red("error")} ${errorColors.dim(code)} ${harmless(message)}`);
      if (!(thrown instanceof SourceboundError) && thrown instanceof Error) errorLine(errorColors.dim(harmless(thrown.stack ?? "")));
    },
  };
}

/** Matches bidirectional overrides, and control characters except the line break. They can control the terminal or disguise text. */
const HARMFUL = /(?!\n)[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu;

/** Escapes control characters in untrusted text, e.g. as `\x1b`. Line breaks stay. */
export function harmless(text: string): string {
  return text.replaceAll(HARMFUL, (character) => {
    const code = character.charCodeAt(0);
    return code === 9 ? " " : code > 0xff ? `\\u${code.toString(16)}` : `\\x${code.toString(16).padStart(2, "0")}`;
  });
}

/** Escapes control characters and line breaks in untrusted text, so that it stays on one line. */
export function harmlessLine(text: string): string {
  return harmless(text).replaceAll("\n", "\\n");
}

/** Formats a count: `1 chunk`, `2 chunks`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
