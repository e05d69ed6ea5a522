import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

export interface Served {
  readonly url: string;
  /** Resident memory of the process in MiB; `null` if the system does not report it. */
  memory(): number | null;
  /** Processor time of the process in milliseconds; `null` if the system does not report it. */
  processorMs(): number | null;
  stop(): Promise<void>;
}

/** Starts a program that prints `Listening on URL` once it accepts connections. */
export async function startServer(
  args: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<Served> {
  const child = spawn(process.execPath, [...args], { ...options, stdio: ["ignore", "pipe", "inherit"] });
  const url = await addressOf(child);
  return {
    url,
    memory: () => residentMiB(child.pid),
    processorMs: () => processorMs(child.pid),
    async stop() {
      child.kill("SIGTERM");
      if (child.exitCode === null) await once(child, "exit");
    },
  };
}

async function addressOf(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error("the server has no output");
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /^Listening on (http\S+)/.exec(line)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error("the server ended before it listened");
}

function residentMiB(pid: number | undefined): number | null {
  try {
    const kib = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kib === undefined ? null : Number(kib) / 1024;
  } catch {
    return null;
  }
}

/** Milliseconds per clock tick of Linux (USER_HZ = 100). */
const TICK_MS = 10;

function processorMs(pid: number | undefined): number | null {
  try {
    // The program's name in parentheses may contain spaces, so fields count from after it (proc(5), fields 14 and 15).
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    return TICK_MS * (Number(fields[11]) + Number(fields[12]));
  } catch {
    return null;
  }
}
