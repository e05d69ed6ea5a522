import type { Command } from "commander";
import type { Engine } from "../../engine/engine.ts";
import { RequestError } from "../../errors.ts";
import type { FileDescription } from "../../store/document-records.ts";
import { type CliContext, EXIT } from "../context.ts";
import { harmlessLine } from "../harmless.ts";
import { configOf, withEngine } from "../open.ts";
import type { Terminal } from "../terminal.ts";

interface DocumentsFlags {
  domain?: string;
  tenant?: string;
  json?: boolean;
  yes?: boolean;
}

export function addDocumentsCommand(program: Command, context: CliContext): void {
  const { terminal } = context;
  const documents = program
    .command("documents")
    .description("what was ingested: files, the documents in them, and what could not be read")
    .addHelpText("after", EXAMPLES);
  const add = (
    name: string,
    description: string,
    run: (engine: Engine, flags: DocumentsFlags, file: string) => Promise<void>,
    argument?: string,
  ) => {
    const command = documents.command(name).description(description);
    if (argument !== undefined) command.argument("<file>", argument);
    command.option("--domain <name>", "body of knowledge").option("--tenant <name>", "of this party inside the domain");
    if (name === "delete") command.option("--yes", "do it; without it, only what would go is named");
    command.option("--json", "as JSON").action(async (...given: unknown[]) => {
      const self = given.at(-1) as Command;
      const flags = self.opts<DocumentsFlags>();
      await withEngine(context, configOf(context, self), (engine) => run(engine, flags, argument === undefined ? "" : String(given[0])));
    });
  };
  const print = (files: readonly FileDescription[], json: boolean | undefined, none: string) => {
    if (json) terminal.print(JSON.stringify(files.map(toWire), null, 2));
    else if (files.length === 0) terminal.print(none);
    else for (const file of files) terminal.print(lineOf(file));
  };
  add("list", "every file with its documents", async (engine, flags) => {
    print(await engine.files(flags), flags.json, "Nothing was ingested yet: sourcebound ingest FOLDER");
  });
  add("failed", "files that could not be read, and why", async (engine, flags) => {
    const failed = (await engine.files(flags)).filter(({ status }) => status === "failed");
    print(failed, flags.json, "Every file could be read.");
    if (failed.length > 0) context.exitCode = EXIT.partly;
  });
  add(
    "show",
    "one file in full: its documents, their versions, and what was noted when they were read",
    async (engine, flags, name) => {
      const found = find(await engine.files(flags), name);
      if (flags.json) terminal.print(JSON.stringify(found.map(toWire), null, 2));
      else for (const file of found) terminal.print(describe(file));
    },
    "its path, the end of its path, or the id of a document",
  );
  add(
    "delete",
    "take a file's documents out, with everything that rests on them; the next ingest of its folder brings a file that is still there back",
    (engine, flags, name) => deleteFile(engine, flags, name, terminal),
    "its path, or the end of its path",
  );
}

const EXAMPLES = `
Examples:
  sourcebound documents list
  sourcebound documents show handbook.pdf
  sourcebound documents failed --json
  sourcebound documents delete old/prices.csv --yes`;

async function deleteFile(engine: Engine, flags: DocumentsFlags, name: string, terminal: Terminal): Promise<void> {
  const found = find(await engine.files(flags), name);
  const count = found.reduce((sum, file) => sum + file.documents.length, 0);
  const [file, ...others] = found;
  if (others.length > 0) {
    throw new RequestError(
      "file_ambiguous",
      `${name} is ${found.length} files: ${found.map(({ path }) => path).join(", ")}. Name one of them in full.`,
    );
  }
  const removed = flags.yes === true ? await engine.deleteFile(file, flags) : 0;
  if (flags.json) terminal.print(JSON.stringify({ path: file.path, documents: count, deleted: removed }));
  else terminal.print(`${flags.yes === true ? "Deleted" : "Would delete"}: ${harmlessLine(file.path)}, ${count} documents.`);
  if (flags.yes !== true) terminal.error("Nothing was deleted: run it again with --yes.");
}

/** At least one. @throws RequestError `unknown_file` */
function find(files: readonly FileDescription[], name: string): readonly [FileDescription, ...FileDescription[]] {
  const exact = files.filter(
    ({ path, documents }) => path === name || documents.some((document) => document.id === name || document.path === name),
  );
  const [first, ...rest] = exact.length > 0 ? exact : files.filter(({ path }) => path.endsWith(`/${name}`));
  if (first === undefined)
    throw new RequestError("unknown_file", `No file ${name} was ingested, or it may not be seen. List them: sourcebound documents list`);
  return [first, ...rest];
}

function lineOf({ path, status, reason, documents }: FileDescription): string {
  if (status === "failed") return harmlessLine(`${path}: failed: ${reason ?? ""}`);
  const chunks = documents.reduce((sum, document) => sum + document.chunks, 0);
  const pages = documents.reduce((sum, document) => sum + (document.pages ?? 0), 0);
  const notes = documents.reduce((sum, document) => sum + document.notices.length, 0);
  const format = documents[0]?.format ?? "unknown format";
  const count = documents.length === 1 ? "" : `, ${documents.length} documents`;
  return harmlessLine(
    `${path}: ${format}${count}${pages === 0 ? "" : `, ${pages} pages`}, ${chunks} chunks${notes === 0 ? "" : `, ${notes} notes`}`,
  );
}

function describe(file: FileDescription): string {
  const lines = [lineOf(file), `  source ${file.source}`, `  read ${file.updatedAt}`];
  for (const { id, path, title, version, characters, chunks, encoding, notices } of file.documents) {
    lines.push(`  ${path}: "${title}"`, `    id ${id}, version ${version.slice(0, 12)}, ${characters} characters, ${chunks} chunks`);
    if (encoding !== null) lines.push(`    encoding ${encoding}`);
    for (const { code, message } of notices) lines.push(`    ${code}: ${message}`);
  }
  return lines.map(harmlessLine).join("\n");
}

function toWire({ updatedAt, ...file }: FileDescription) {
  return { ...file, updated_at: updatedAt };
}
