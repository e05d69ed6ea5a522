import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { messageOf } from "../../src/errors.ts";
import { PACKAGE_ROOT } from "../../src/package.ts";

/** Numbers of the best rows, best first. */
export type Search<Query> = (query: Query, k: number) => Promise<number[]>;

/** A document as a peer takes it in. */
export interface PeerDocument {
  readonly title: string;
  readonly text: string;
  readonly scope: string | null;
}

/** What is asked of a peer; only documents of the scope may be found, all when it is `null`. */
export interface PeerQuestion {
  readonly text: string;
  readonly scope: string | null;
}

/** What a file in `lab/bench/peers` exports. */
export interface Peer {
  readonly name: string;
  readonly package: string;
  vectors?(rows: readonly Float32Array[]): Promise<Search<Float32Array>>;
  words?(passages: readonly (readonly string[])[]): Promise<Search<readonly string[]>>;
  /** Title and text through the library's own analysis. */
  documents?(rows: readonly PeerDocument[]): Promise<Search<PeerQuestion>>;
}

export interface LoadedPeer {
  readonly file: string;
  /** `null` when the package is not installed or does not load, with the reason. */
  readonly peer: Peer | null;
  readonly reason: string;
  readonly version: string;
}

/** What installs the peers; they are never part of the main install. */
export const PEERS_COMMAND = "npm ci --prefix lab/bench/peers --ignore-scripts";

const FOLDER = join(PACKAGE_ROOT, "lab", "bench", "peers");
const moduleSchema = z.object({ peer: z.custom<Peer>((value) => typeof value === "object" && value !== null && "package" in value) });
const packageSchema = z.object({ version: z.string() });

export function listPeers(): string[] {
  if (!existsSync(FOLDER)) return [];
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith(".mjs"))
    .sort();
}

/** @param folder where the peers' files are, for tests */
export async function loadPeer(file: string, folder: string = FOLDER): Promise<LoadedPeer> {
  try {
    const { peer } = moduleSchema.parse(await import(pathToFileURL(join(folder, file)).href));
    return { file, peer, reason: "", version: versionOf(peer.package, folder) };
  } catch (error) {
    return { file, peer: null, reason: messageOf(error).split("\n")[0] ?? "", version: "" };
  }
}

function versionOf(name: string, folder: string): string {
  const path = [join(folder, "node_modules"), join(PACKAGE_ROOT, "node_modules")]
    .map((modules) => join(modules, name, "package.json"))
    .find(existsSync);
  return path === undefined ? "" : packageSchema.parse(JSON.parse(readFileSync(path, "utf8"))).version;
}
