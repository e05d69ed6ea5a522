import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Kysely } from "kysely";
import { afterAll, afterEach, beforeEach } from "vitest";
import { PACKAGE_ROOT } from "../../src/package.ts";
import type { StoredDocument } from "../../src/shared/types.ts";
import type { Database } from "../../src/store/schema.ts";
import { openSqlite } from "../../src/store/sqlite.ts";
import { createStore, type Store } from "../../src/store/store.ts";
import { fileContent } from "../../src/testing/store/fixtures.ts";

const newFolder = () => mkdtempSync(join(tmpdir(), "sourcebound-test-"));
const remove = (folder: string) => rmSync(folder, { recursive: true, force: true });

/** Creates a folder that is deleted after the tests of the calling file. */
export function folderOfFile(): string {
  const folder = newFolder();
  afterAll(() => remove(folder));
  return folder;
}

/** Gives each test a folder of its own, which is deleted after the test. */
export function folderOfTest(): { readonly folder: string } {
  const here = { folder: "" };
  beforeEach(() => {
    here.folder = newFolder();
  });
  afterEach(() => remove(here.folder));
  return here;
}

/** Writes a file and the folders above it; rows become lines of JSON. */
export function writeIn(folder: string, path: string, content: string | readonly unknown[]): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  const text = typeof content === "string" ? content : content.map((row) => `${JSON.stringify(row)}\n`).join("");
  writeFileSync(join(folder, path), text);
}

/** Copies documents of the bundled pack `veterans` to `pages` below a folder. */
export function copyVeteransPages(folder: string, names: readonly string[]): void {
  for (const name of names) cpSync(join(PACKAGE_ROOT, "domains/veterans/documents", name), join(folder, "pages", name));
}

interface TestStore {
  readonly folder: string;
  readonly db: Kysely<Database>;
  readonly store: Store;
  /** Stores documents, each as a file of its own. */
  put(...documents: readonly StoredDocument[]): Promise<void>;
}

/** Gives each test a folder of its own with an open SQLite database, `test.db`; both go after the test. */
export function storeOfTest(now = () => Date.parse("2026-01-01T00:00:00Z")): TestStore {
  const here = folderOfTest() as { -readonly [Part in keyof TestStore]: TestStore[Part] };
  here.put = async (...documents) => {
    for (const one of documents) {
      const { domain, tenant, source, path } = one;
      await here.store.documents.putFile({ domain, tenant, source, path }, fileContent(one));
    }
  };
  beforeEach(async () => {
    here.db = await openSqlite(join(here.folder, "test.db"));
    here.store = createStore(here.db, { now: () => new Date(now()), clock: () => performance.now() });
  });
  afterEach(() => here.store.close());
  return here;
}
