import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { join } from "node:path";
import { Readable } from "node:stream";
import { createLab } from "../../lab/create-lab.ts";
import { createProgram, runProgram } from "../../src/cli/run.ts";
import { PACKAGE_ROOT } from "../../src/package.ts";
import { SHARED_PARTS } from "./shared-parts.ts";

/** Path of the built program. */
export const PROGRAM: string = join(PACKAGE_ROOT, "dist", "src", "cli", "main.js");

/** Path of the built lab, which is not published. */
export const LAB: string = join(PACKAGE_ROOT, "dist", "lab", "main.js");

/** Commands of `LAB`; the product itself evaluates golden sets. */
const isMeasuring = ([command, what]: readonly string[]) =>
  command === "ablate" || command === "bench" || (command === "eval" && what !== "golden");

/** User without privileges: `nobody` on every Linux. */
export const NOBODY = 65_534;

/** Only root can start a process as another user. */
export const isRoot: boolean = process.getuid?.() === 0;

export interface CliOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Drops privileges if the tests run as root. */
  readonly asNobody?: boolean;
  /** Standard input; only for a command that runs in this process. */
  readonly stdin?: readonly Buffer[];
  /** Path of the program. @default PROGRAM, or `LAB` for its commands */
  readonly program?: string;
  /** Milliseconds until the process is killed and the test fails. @default 300000, because a busy machine is slow */
  readonly timeoutMs?: number;
}

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly finished: Promise<Finished>;
  /** Resolves with the match as soon as stdout or stderr contains it. */
  shows(pattern: RegExp): Promise<RegExpMatchArray>;
}

/** Compile cache of Node.js, set by `scripts/test.sh`, so that hundreds of starts do not each compile the program. */
const COMPILED = process.env.NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE };

/** Starts one command line. It inherits only PATH and the compile cache from the tests' environment. */
export function startCli(args: readonly string[], { cwd, env = {}, asNobody = false, timeoutMs = 300_000, program }: CliOptions): Running {
  const options: SpawnOptions = {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, ...COMPILED, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    ...(asNobody && isRoot ? { uid: NOBODY, gid: NOBODY } : {}),
  };
  const child = spawn(process.execPath, [program ?? (isMeasuring(args) ? LAB : PROGRAM), ...args], options);
  const texts = { stdout: "", stderr: "" };
  const listeners = new Set<() => void>();
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      texts[name] += text;
      for (const listener of listeners) listener();
    });
  }
  const timer = setTimeout(() => child.kill("SIGKILL"), timeoutMs);
  const finished = new Promise<Finished>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal, ...texts });
    });
  });
  return {
    child,
    finished,
    shows: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const match = pattern.exec(texts.stdout) ?? pattern.exec(texts.stderr);
          if (match === null) return;
          listeners.delete(look);
          resolve(match);
        };
        listeners.add(look);
        look();
        finished.then(() => reject(new Error(`ended without ${pattern}:\n${texts.stdout}\n${texts.stderr}`)), reject);
      }),
  };
}

/** Runs one command line in a separate process, for tests of signals and concurrent writers. */
export function runCliProcess(args: readonly string[], options: CliOptions): Promise<Finished> {
  return startCli(args, options).finished;
}

/** Runs a function as a user without privileges; this affects all threads of the process. `access` checks still use root's real user id. */
async function withoutRights<T>(run: () => Promise<T>): Promise<T> {
  if (!isRoot) return run();
  process.setegid?.(NOBODY);
  process.seteuid?.(NOBODY);
  try {
    return await run();
  } finally {
    process.seteuid?.(0);
    process.setegid?.(0);
  }
}

export async function runCli(args: readonly string[], options: CliOptions): Promise<Finished> {
  const texts = { stdout: "", stderr: "" };
  const writer = (name: keyof typeof texts) => ({
    write: (text: string) => {
      texts[name] += text;
    },
  });
  const { cwd, env = {}, stdin = [] } = options;
  const surroundings = {
    stdout: writer("stdout"),
    stderr: writer("stderr"),
    stdin: Readable.from(stdin),
    env: { PATH: process.env.PATH, HOME: cwd, ...env },
    cwd: () => cwd,
    engine: SHARED_PARTS,
  };
  const run = () => runProgram(args, surroundings, isMeasuring(args) ? createLab : createProgram);
  const code = await (options.asNobody ? withoutRights(run) : run());
  return { code, signal: null, ...texts };
}

/** Checks that the output has no stack trace and no colour codes. */
export function isCivil({ stdout, stderr }: Pick<Finished, "stdout" | "stderr">): boolean {
  const text = `${stdout}\n${stderr}`;
  return !/^\s+at .+:\d+:\d+\)?$|node:internal|Node\.js v\d|\berror\b.*\binternal\b/m.test(text) && !text.includes("\u001B");
}
