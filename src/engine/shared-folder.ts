import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative, sep } from "node:path";
import type { IngestEvent } from "../events.ts";
import type { Original, OriginalStore, OriginalsOf } from "../store/origins.ts";
import { sha256Hex } from "../text/hash.ts";

export interface SharedFolder {
  /** Where its files are kept for every process. */
  readonly of: OriginalsOf;
  readonly originals: OriginalStore;
  /** Brings files, or takes them out. */
  readonly change: (folder: string) => AsyncIterable<IngestEvent>;
  /** Reads what the folder holds; what it does not hold any more goes. */
  readonly read: (folder: string) => AsyncIterable<IngestEvent>;
}

/** Readings of one folder that others keep adding to; the last of them finds what is left. */
const MOST_READINGS = 5;

/**
 * A folder that lies in the database: it is laid out for as long as it is changed and read. Where another process has changed it meanwhile, it is read
 * once more, so that what this process had not seen is not taken out.
 */
export async function* changeSharedFolder({ of, originals, change, read }: SharedFolder): AsyncGenerator<IngestEvent, void> {
  const room = await mkdtemp(join(tmpdir(), "sourcebound-source-"));
  try {
    const changing = join(room, "changing");
    const before = await layOut(changing, of, originals);
    yield* change(changing);
    await store(changing, before, of, originals);
    for (let reading = 0; reading < MOST_READINGS; reading++) {
      const folder = join(room, `reading-${reading}`);
      const { listed } = await layOut(folder, of, originals);
      yield* read(folder);
      if (namesOf(listed) === namesOf(await originals.list(of))) return;
    }
  } finally {
    await rm(room, { recursive: true, force: true });
  }
}

interface LaidOut {
  readonly listed: readonly Original[];
  /** Hashes of the files by their path. */
  readonly hashes: ReadonlyMap<string, string>;
}

async function layOut(folder: string, of: OriginalsOf, originals: OriginalStore): Promise<LaidOut> {
  await mkdir(folder, { recursive: true });
  const listed = await originals.list(of);
  const hashes = new Map<string, string>();
  for (const { path } of listed) {
    const bytes = await originals.bytes(of, path);
    if (bytes === null) continue;
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), bytes);
    hashes.set(path, sha256Hex(bytes));
  }
  return { listed, hashes };
}

async function store(folder: string, { hashes }: LaidOut, of: OriginalsOf, originals: OriginalStore): Promise<void> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = found.filter((entry) => entry.isFile()).map((entry) => relative(folder, join(entry.parentPath, entry.name)));
  const kept = new Set<string>();
  for (const local of paths) {
    const path = local.split(sep).join("/");
    kept.add(path);
    const bytes = await readFile(join(folder, local));
    if (hashes.get(path) !== sha256Hex(bytes)) await originals.put(of, path, bytes);
  }
  // Only what was there before: what another process has added meanwhile stays.
  for (const path of hashes.keys()) if (!kept.has(path)) await originals.remove(of, path);
}

function namesOf(listed: readonly Original[]): string {
  return JSON.stringify(listed.map(({ path, updatedAt }) => [path, updatedAt]));
}
