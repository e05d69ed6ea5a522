import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { PACKAGE_ROOT } from "../../src/internals.ts";

export type Search<Query> = (query: Query, k: number) => Promise<number[]>;

/** What a file in `bench/peers` exports. */
export interface Peer {
  readonly name: string;
  readonly package: string;
  vectors?(rows: readonly Float32Array[]): Promise<Search<Float32Array>>;
  words?(passages: readonly (readonly string[])[]): Promise<Search<readonly string[]>>;
}

export interface LoadedPeer {
  readonly file: string;
  /** `null` when the package is not installed or does not load, with the reason. */
  readonly peer: Peer | null;
  readonly reason: string;
  readonly version: string;
}

const FOLDER = join(PACKAGE_ROOT, "bench", "peers");
const moduleSchema = z.object({ peer: z.custom<Peer>((value) => typeof value === "object" && value !== null && "package" in value) });
const packageSchema = z.object({ version: z.string() });

export function listPeers(): string[] {
  if (!existsSync(FOLDER)) return [];
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith(".mjs"))
    .sort();
}

export async function loadPeer(file: string): Promise<LoadedPeer> {
  try {
    const { peer } = moduleSchema.parse(await import(pathToFileURL(join(FOLDER, file)).href));
    return { file, peer, reason: "", version: versionOf(peer.package) };
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
    return { file, peer: null, reason, version: "" };
  }
}

function versionOf(name: string): string {
  const path = [join(FOLDER, "node_modules"), join(PACKAGE_ROOT, "node_modules")]
    .map((folder) => join(folder, name, "package.json"))
    .find(existsSync);
  return path === undefined ? "" : packageSchema.parse(JSON.parse(readFileSync(path, "utf8"))).version;
}
