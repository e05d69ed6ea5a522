import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AnswerParts } from "../answer/parts.ts";
import { playbackModels, type RecordedCall } from "../answer/recorded-calls.ts";
import { type Config, embeddedIn } from "../config.ts";
import type { Encoder } from "../models/encoder.ts";
import type { Profile } from "../profiles/profile.ts";
import type { PastDocument, UnreadFile } from "../store/corpus-log.ts";
import { openSqlite } from "../store/sqlite.ts";
import { createStore } from "../store/store.ts";
import type { GateThreshold } from "../verify/calibration.ts";
import type { DomainPack } from "./domain.ts";
import type { ScratchEngine } from "./replay-types.ts";

/** With what answers are made, besides documents. */
export interface ScratchSettings {
  readonly pack: DomainPack;
  readonly profile: Profile;
  readonly threshold: GateThreshold;
}

/** Documents of a domain as they are to be searched. */
export interface ScratchCorpus {
  readonly documents: readonly PastDocument[];
  readonly unreadable: readonly UnreadFile[];
  readonly revision: number;
}

/** What an engine of a scratch installation is given in the place of what it would open itself. */
export interface ScratchParts {
  readonly encoder: Encoder | null;
  readonly packs: readonly DomainPack[];
  readonly profiles: readonly Profile[];
  readonly threshold: GateThreshold;
  readonly models: AnswerParts["models"];
  readonly now: () => Date;
  readonly createId: () => string;
  readonly warn: (message: string) => void;
}

export interface ScratchHost {
  readonly config: Config;
  readonly encoder: Encoder | null;
  /** Names of the models that write; `null`: quotes alone answer. */
  readonly models: { readonly small: string; readonly large: string } | null;
  /** Opens an engine: the one that everybody uses. */
  readonly open: (config: Config, parts: ScratchParts) => Promise<ScratchEngine>;
}

/** An answer's own facts, which a scratch engine gives out instead of new ones. */
export interface Played {
  at: string;
  id: string;
  calls: readonly RecordedCall[] | null;
}

/** An engine of its own over given documents, with the models' recorded output; its folder goes with it. What it is to play is set before each question. */
export interface Scratch {
  readonly engine: ScratchEngine;
  readonly played: Played;
  close(): Promise<void>;
}

export async function openScratch(
  { config, encoder, models, open }: ScratchHost,
  { documents, unreadable, revision }: ScratchCorpus,
  { pack, profile, threshold }: ScratchSettings,
): Promise<Scratch> {
  const folder = mkdtempSync(join(tmpdir(), "sourcebound-replay-"));
  const played: Played = { at: new Date(0).toISOString(), id: "", calls: null };
  try {
    await fill(join(folder, "sourcebound.db"), pack.name, { documents, unreadable, revision });
    const { web_search: _web, ...rest } = embeddedIn(config, folder);
    const quiet = { ...rest, cache: { ...config.cache, enabled: false }, reports: { ...config.reports, enabled: false } };
    const engine = await open(quiet, {
      ...{ encoder, packs: [pack], profiles: [profile], threshold },
      models: playbackModels(models, () => played.calls),
      now: () => new Date(played.at),
      createId: () => played.id,
      warn: () => undefined,
    });
    return {
      ...{ engine, played },
      async close() {
        await engine.close();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Puts documents into a new database as if they had been read, file by file. */
async function fill(path: string, domain: string, { documents, unreadable, revision }: ScratchCorpus): Promise<void> {
  const db = await openSqlite(path);
  try {
    const { documents: store } = createStore(db, { now: () => new Date(0), clock: () => 0 });
    const files = Map.groupBy(documents, ({ file, document }) => JSON.stringify([document.tenant, document.source, file]));
    for (const held of files.values()) {
      const [{ file, document }] = held as [PastDocument];
      const content = { originalHash: document.originalHash, settings: "", access: document.access, failure: null };
      await store.putFile(
        { domain, tenant: document.tenant, source: document.source, path: file },
        { ...content, documents: held.map((one) => one.document) },
      );
    }
    for (const { tenant, source, path: file, access, reason } of unreadable)
      await store.putFile(
        { domain, tenant, source, path: file },
        { originalHash: "", settings: "", access, documents: [], failure: reason },
      );
    await db.updateTable("revisions").set({ revision }).where("domain", "=", domain).execute();
  } finally {
    await db.destroy();
  }
}
