import type { Command } from "commander";
import type { Engine } from "../../engine/engine.ts";
import { RequestError } from "../../errors.ts";
import type { FileDescription } from "../../store/document-records.ts";
import type { Conflict } from "../../types.ts";
import { conflictToWire } from "../../wire/answer-to-wire.ts";
import { joinConflicts } from "../../wire/display.ts";
import { DOMAIN, define, JSON_OUT, printResult } from "../command.ts";
import { type CliContext, EXIT } from "../context.ts";
import { conflictLines } from "../render.ts";
import { harmlessLine, type Terminal } from "../terminal.ts";

const SCOPE = [DOMAIN, ["--tenant <name>", "of this party inside the domain"]] as const;

export function addDocumentsCommand(program: Command, context: CliContext): void {
  const { terminal } = context;
  const documents = define(program, context, "documents", {
    description: "what was ingested: files, the documents in them, and what could not be read",
    help: `
Examples:
  sourcebound documents list
  sourcebound documents show handbook.pdf
  sourcebound documents failed --json
  sourcebound documents delete old/prices.csv --yes`,
  });
  const print = (files: readonly FileDescription[], json: boolean | undefined, text: (file: FileDescription) => string, none = "") =>
    printResult(terminal, json, files.map(toWire), () => (files.length === 0 ? none : files.map(text).join("\n")));
  define(documents, context, "list", {
    description: "every file with its documents",
    options: [...SCOPE, JSON_OUT],
    async use(engine, { flags: { json, ...scope } }) {
      print(await engine.files(scope), json, lineOf, "Nothing was ingested yet: sourcebound ingest FOLDER");
    },
  });
  define(documents, context, "failed", {
    description: "files that could not be read, and why",
    options: [...SCOPE, JSON_OUT],
    async use(engine, { flags: { json, ...scope } }) {
      const failed = (await engine.files(scope)).filter(({ status }) => status === "failed");
      print(failed, json, lineOf, "Every file could be read.");
      if (failed.length > 0) context.exitCode = EXIT.partly;
    },
  });
  define(documents, context, "show", {
    description: "one file in full: its documents, their versions, and what was noted when they were read",
    argument: ["<file>", "its path, the end of its path, or the id of a document"],
    options: [...SCOPE, JSON_OUT],
    async use(engine, { flags: { json, ...scope }, given }) {
      print(find(await engine.files(scope), given), json, describe);
    },
  });
  define(documents, context, "delete", {
    description:
      "take a file's documents out, with everything that rests on them; the next ingest of its folder brings a file that is still there back",
    argument: ["<file>", "its path, or the end of its path"],
    options: [...SCOPE, ["--yes", "do it; without it, only what would go is named"], JSON_OUT],
    async use(engine, { flags: { json, yes, ...scope }, given }) {
      await deleteFile(engine, { ...scope, yes, json }, given, terminal);
    },
  });
}

interface DeleteFlags {
  readonly domain: string | undefined;
  readonly tenant: string | undefined;
  readonly yes: boolean | undefined;
  readonly json: boolean | undefined;
}

async function deleteFile(engine: Engine, { yes, json, ...scope }: DeleteFlags, name: string, terminal: Terminal): Promise<void> {
  const found = find(await engine.files(scope), name);
  const count = found.reduce((sum, file) => sum + file.documents.length, 0);
  const [file, ...others] = found;
  if (others.length > 0) {
    throw new RequestError(
      "file_ambiguous",
      `${name} is ${found.length} files: ${found.map(({ path }) => path).join(", ")}. Name one of them in full.`,
    );
  }
  const removed = yes === true ? await engine.deleteFile(file, scope) : 0;
  if (json) terminal.print(JSON.stringify({ path: file.path, documents: count, deleted: removed }));
  else terminal.print(`${yes === true ? "Deleted" : "Would delete"}: ${harmlessLine(file.path)}, ${count} documents.`);
  if (yes !== true) terminal.error("Nothing was deleted: run it again with --yes.");
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

export function addConflictsCommand(program: Command, context: CliContext): void {
  const { terminal, signal } = context;
  define(program, context, "conflicts", {
    description: "read all documents of a domain and list statements that contradict each other, most certain first",
    options: [DOMAIN, ["--tenant <name>", "with the documents of this party inside the domain"], ["--json", "the report as JSON"]],
    help: `
A report to be read by people: what is listed looks like a contradiction, and some of it is none.

Examples:
  sourcebound conflicts --domain veterans
  sourcebound conflicts --json > conflicts.json`,
    async use(engine, { flags: { json, ...scope } }) {
      for await (const event of engine.conflicts({ ...scope, signal })) {
        if (event.type === "progress") {
          terminal.progress(`${event.done}/${event.total} documents, ${event.found} found`);
          continue;
        }
        const { documents, statements, compared, conflicts } = event;
        const lines = conflicts.flatMap((conflict, i) => [
          `${i + 1}. ${conflict.kind}, certainty ${conflict.certainty.toFixed(2)}`,
          ...joinConflicts([conflictToWire(conflict)]).map((one) => `${conflictLines(one, terminal.colors).join("\n")}\n`),
        ]);
        const total = `${conflicts.length} found among ${statements} statements of ${documents} documents (${compared} pairs compared).`;
        printResult(terminal, json, { documents, statements, compared, conflicts: conflicts.map(conflictJson) }, () =>
          [...lines, total].join("\n"),
        );
      }
    },
  });
}

function conflictJson({ about, kind, certainty, sides, resolvedBy }: Conflict) {
  return {
    about,
    kind,
    certainty,
    sides: sides.map(({ documentId, documentVersion, asOf, sid, title, ...side }) => ({
      sid,
      title: harmlessLine(title),
      ...side,
      document_id: documentId,
      document_version: documentVersion,
      as_of: asOf,
    })),
    resolved_by: resolvedBy,
  };
}
