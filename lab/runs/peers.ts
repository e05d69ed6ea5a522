import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { PACKAGE_ROOT } from "../../src/package.ts";

/** A document for a peer library. */
export interface PeerDocument {
  readonly title: string;
  readonly text: string;
  readonly scope: string | null;
}

/** A query to a peer; only documents of the scope are candidates, all if it is `null`. */
interface PeerQuestion {
  readonly text: string;
  readonly scope: string | null;
}

/** Export of a file in `lab/bench/peers`. */
export interface Peer {
  readonly name: string;
  readonly package: string;
  /** Indexes title and text with the library's own analysis; a search returns row numbers, best first. */
  documents(rows: readonly PeerDocument[]): Promise<(question: PeerQuestion, k: number) => Promise<number[]>>;
}

export interface LoadedPeer {
  /** `null`: the package is not installed or does not load. */
  readonly peer: Peer | null;
  readonly version: string;
}

/** Command that installs the peers; the main install does not include them. */
export const PEERS_COMMAND = "npm ci --prefix lab/bench/peers --ignore-scripts";

const FOLDER = join(PACKAGE_ROOT, "lab", "bench", "peers");
const moduleSchema = z.object({ peer: z.custom<Peer>((value) => typeof value === "object" && value !== null && "package" in value) });
const packageSchema = z.object({ version: z.string() });

/** @param folder folder of the peers' files, for tests */
export async function loadPeer(file: string, folder: string = FOLDER): Promise<LoadedPeer> {
  try {
    const { peer } = moduleSchema.parse(await import(pathToFileURL(join(folder, file)).href));
    return { peer, version: versionOf(peer.package, folder) };
  } catch {
    return { peer: null, version: "" };
  }
}

function versionOf(name: string, folder: string): string {
  const path = [join(folder, "node_modules"), join(PACKAGE_ROOT, "node_modules")]
    .map((modules) => join(modules, name, "package.json"))
    .find(existsSync);
  return path === undefined ? "" : packageSchema.parse(JSON.parse(readFileSync(path, "utf8"))).version;
}
