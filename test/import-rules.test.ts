import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PACKAGE_ROOT } from "../src/package.ts";

/** Forbidden imports: description, folder and imported file. */
const BREACHES = [
  ["the product imports the laboratory", "src/server", "lab/runs/va.ts"],
  ["a stage imports another stage", "src/evidence", "src/writing/quotes.ts"],
  ["a stage imports another stage from a folder inside", "src/ingest/formats", "src/evidence/gate.ts"],
  ["a stage imports what wires it", "src/retrieval", "src/engine/engine.ts"],
  ["a stage imports the path of a question", "src/checks", "src/pipeline/verify.ts"],
  ["a stage imports the configuration", "src/memory", "src/shared/config.ts"],
  ["a stage imports the laboratory", "src/memory", "lab/runs/va.ts"],
  ["a model imports a stage", "src/models/adapters", "src/evidence/gate.ts"],
  ["the store imports a stage", "src/store", "src/memory/recall.ts"],
  ["the cross-encoder imports a stage", "src/cross-encoder", "src/checks/check.ts"],
  ["the lowest layer imports a model", "src/language", "src/models/chat.ts"],
  ["the lowest layer imports a stage", "src/guard", "src/checks/check.ts"],
  ["the client imports more than types and the wire", "src/client", "src/text/hash.ts"],
  ["the page imports the wire", "web", "src/wire/index.ts"],
  ["the page imports the wire from a folder inside", "web/ask", "src/shared/types.ts"],
] as const;

/** Permitted imports, to detect a rule that forbids everything. */
const ALLOWED = [
  ["src/evidence", "src/models/chat.ts"],
  ["src/ingest/formats", "src/ingest/parse.ts"],
  ["src/client", "src/wire/index.ts"],
  ["web/ask", "src/client/index.ts"],
  ["lab/runs", "src/index.ts"],
] as const;

/** Folder and imported file of each test import. */
const PLANTED = [...BREACHES.map(([, folder, target]) => [folder, target] as const), ...ALLOWED];
const files = PLANTED.map(([folder], i) => join(folder, `planted-breach-${i}.ts`));

describe("import rules", () => {
  let found: readonly string[] = [];
  beforeAll(() => {
    PLANTED.forEach(([, target], i) => {
      plant(files[i] as string, target);
    });
    found = faultsIn(files);
  });
  afterAll(() => {
    for (const file of files) rmSync(join(PACKAGE_ROOT, file), { force: true });
  });

  it.each(BREACHES.map((breach, i) => [breach[0], files[i] as string] as const))("%s: is refused", (_, file) => {
    expect(found).toContain(file);
  });

  it.each(ALLOWED.map(([folder, target], i) => [folder, target, files[BREACHES.length + i] as string] as const))(
    "%s may import %s",
    (_folder, _target, file) => {
      expect(found).not.toContain(file);
    },
  );
});

function plant(file: string, target: string): void {
  const path = relative(dirname(file), target);
  writeFileSync(join(PACKAGE_ROOT, file), `export * from "${path.startsWith(".") ? path : `./${path}`}";\n`);
}

function faultsIn(files: readonly string[]): string[] {
  const biome = join(PACKAGE_ROOT, "node_modules", "@biomejs", "biome", "bin", "biome");
  const options = ["lint", "--only=style/noRestrictedImports", "--reporter=github", "--max-diagnostics=none"];
  let out: string;
  try {
    out = execFileSync(process.execPath, [biome, ...options, ...files], {
      cwd: PACKAGE_ROOT,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  } catch (error) {
    out = (error as { stdout: string }).stdout;
  }
  return files.filter((file) => out.includes(file));
}
