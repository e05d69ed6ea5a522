import { spawn } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { ModelError } from "../../errors.ts";
import { findHubRuntime, HUB_PACKAGE, HUB_PACKAGE_VERSION } from "./runtime.ts";

export type InstallEvent =
  | { readonly type: "line"; readonly text: string }
  | { readonly type: "bytes"; readonly bytes: number }
  | { readonly type: "end"; readonly folder: string; readonly version: string };

export interface InstallOptions {
  /** Environment of the process; npm reads its settings from it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** Program and leading arguments, for tests. @default npm */
  readonly npm?: readonly [string, ...string[]];
  /** Milliseconds between two measures of the folder. @default 500 */
  readonly everyMs?: number;
}

/** Arguments of npm: no scripts, for one of them downloads CUDA files of 200 MB and fails where it cannot. */
export function installArguments(folder: string): string[] {
  return [
    "install",
    "--prefix",
    folder,
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--save-exact",
    `${HUB_PACKAGE}@${HUB_PACKAGE_VERSION}`,
  ];
}

/**
 * Installs the runtime of hub models beside the data, under a temporary name until npm has finished: an interrupted install leaves nothing that looks whole.
 * @throws ModelError `hub_install_failed` with npm's last lines
 */
export async function* installHubRuntime(
  folder: string,
  { env, signal, npm = ["npm"], everyMs = 500 }: InstallOptions,
): AsyncGenerator<InstallEvent, void> {
  const part = `${folder}.part`;
  mkdirSync(part, { recursive: true });
  writeFileSync(join(part, "package.json"), '{ "private": true }\n');
  const [program, ...leading] = npm;
  const child = spawn(program, [...leading, ...installArguments(part)], {
    env: { ...env, ONNXRUNTIME_NODE_INSTALL: "skip", ONNXRUNTIME_NODE_INSTALL_CUDA: "skip" },
    stdio: ["ignore", "pipe", "pipe"],
    shell: process.platform === "win32",
    signal,
  });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on("line", (line) => lines.push(line));
  const end = new Promise<{ code: number | null; error: Error | null }>((resolve) => {
    child.on("error", (error) => resolve({ code: null, error }));
    child.on("close", (code) => resolve({ code, error: null }));
  });
  let shown = 0;
  let ended: Awaited<typeof end> | null = null;
  while (ended === null) {
    ended = await Promise.race([end, setTimeout(everyMs, null, { ref: false })]);
    for (; shown < lines.length; shown++) yield { type: "line", text: lines[shown] as string };
    yield { type: "bytes", bytes: await bytesBelow(part) };
  }
  signal.throwIfAborted();
  const { code, error } = ended;
  const found = code === 0 ? findHubRuntime([part]) : null;
  if (found === null) {
    const said = error?.message ?? (lines.slice(-3).join(" ").slice(0, 400) || `npm ended with ${code}`);
    throw new ModelError(
      "hub_install_failed",
      `${HUB_PACKAGE} could not be installed into ${folder}: ${said}. Check the connection to the package registry and run the command again.`,
      { folder },
    );
  }
  if (existsSync(folder)) rmSync(folder, { recursive: true });
  renameSync(part, folder);
  yield { type: "end", folder, version: found.version };
}

async function bytesBelow(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  let bytes = 0;
  for (const entry of entries)
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name)).catch(() => ({ size: 0 }))).size;
  return bytes;
}
