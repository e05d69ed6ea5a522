import { RequestError } from "../../shared/errors.ts";
import type { FileDescription } from "../../store/documents.ts";
import { toSnakeCase } from "../../text/validate.ts";
import { conflictToWire } from "../../wire/answer-to-wire.ts";
import { joinConflicts } from "../../wire/display.ts";
import { DOMAIN, define, JSON_OUT, printResult } from "../command.ts";
import { EXIT } from "../context.ts";
import { conflictLines } from "../render.ts";
import { counted, harmlessLine, type Terminal } from "../terminal.ts";

const SCOPE = [DOMAIN, ["--tenant <name>", "tenant of the domain whose documents are included"]] as const;

export const addDocumentsCommand = define("documents", {
  description: "list ingested files, their documents, and files that could not be read",
  help: `
Examples:
  sourcebound documents list
  sourcebound documents show handbook.pdf
  sourcebound documents failed --json
  sourcebound documents delete old/prices.csv --yes`,
  commands: [
    define("list", {
      description: "list all files with their documents",
      options: [...SCOPE, JSON_OUT],
      async use(engine, { flags: { json, ...scope }, terminal }) {
        print(terminal, await engine.files(scope), json, "Nothing has been ingested yet. Run: sourcebound ingest FOLDER");
      },
    }),
    define("failed", {
      description: "list files that could not be read, with the reason",
      options: [...SCOPE, JSON_OUT],
      async use(engine, { flags: { json, ...scope }, context, terminal }) {
        const failed = (await engine.files(scope)).filter(({ status }) => status === "failed");
        print(terminal, failed, json, "All files could be read.");
        if (failed.length > 0) context.exitCode = EXIT.partly;
      },
    }),
    define("show", {
      description: "show one file: its documents, their versions, and the notices from reading them",
      argument: ["<file>", "path, end of the path, or id of a document"],
      options: [...SCOPE, JSON_OUT],
      async use(engine, { flags: { json, ...scope }, given, terminal }) {
        printResult(terminal, json, toSnakeCase(find(await engine.files(scope), given)));
      },
    }),
    define("delete", {
      description:
        "delete a file's documents and everything that depends on them; the next ingest of its folder adds the file again if it still exists",
      argument: ["<file>", "path, end of the path, or id of a document"],
      options: [...SCOPE, ["--yes", "really delete; without this option, only show what would be deleted"], JSON_OUT],
      async use(engine, { flags: { json, yes, ...scope }, given: name, terminal }) {
        const [file, ...others] = find(await engine.files(scope), name);
        if (others.length > 0) {
          const files = [file, ...others].map(({ path, documents: [first] }) => (first === undefined ? path : `${path} (id ${first.id})`));
          const message = `"${name}" matches ${files.length} files: ${files.join(", ")}. Give the path or id of one.`;
          throw new RequestError("file_ambiguous", message);
        }
        const count = file.documents.length;
        const deleted = yes === true ? await engine.deleteFile(file, scope) : 0;
        if (json) terminal.print(JSON.stringify({ path: file.path, documents: count, deleted }));
        else terminal.print(`${yes === true ? "Deleted" : "Would delete"}: ${harmlessLine(file.path)}, ${counted(count, "document")}.`);
        if (yes !== true) terminal.error("Nothing was deleted. Run it again with --yes.");
      },
    }),
  ],
});

function print(terminal: Terminal, files: readonly FileDescription[], json: boolean | undefined, none: string): void {
  printResult(terminal, json, toSnakeCase(files), () => (files.length === 0 ? none : files.map(lineOf).join("\n")));
}

/** Finds files whose path, document id or end of the path is `name`. @throws RequestError `unknown_file` if there is none */
function find(files: readonly FileDescription[], name: string): readonly [FileDescription, ...FileDescription[]] {
  const exact = files.filter(
    ({ path, documents }) => path === name || documents.some((document) => document.id === name || document.path === name),
  );
  const [first, ...rest] = exact.length > 0 ? exact : files.filter(({ path }) => path.endsWith(`/${name}`));
  if (first === undefined)
    throw new RequestError("unknown_file", `No accessible file "${name}" was found. List all files: sourcebound documents list`);
  return [first, ...rest];
}

function lineOf({ path, status, reason, documents }: FileDescription): string {
  if (status === "failed") return harmlessLine(`${path}: failed: ${reason ?? ""}`);
  const chunks = documents.reduce((sum, document) => sum + document.chunks, 0);
  const pages = documents.reduce((sum, document) => sum + (document.pages ?? 0), 0);
  const notes = documents.reduce((sum, document) => sum + document.notices.length, 0);
  const format = documents[0]?.format ?? "unknown format";
  const parts = [
    format,
    ...(documents.length === 1 ? [] : [counted(documents.length, "document")]),
    ...(pages === 0 ? [] : [counted(pages, "page")]),
    counted(chunks, "chunk"),
    ...(notes === 0 ? [] : [counted(notes, "note")]),
  ];
  return harmlessLine(`${path}: ${parts.join(", ")}`);
}

export const addConflictsCommand = define("conflicts", {
  description: "list statements in a domain's documents that contradict each other, most certain first",
  options: [DOMAIN, ["--tenant <name>", "include the documents of this tenant"], ["--json", "print the report as JSON"]],
  help: `
The list contains possible contradictions, some of which are false positives. Review them by hand.

Examples:
  sourcebound conflicts --domain veterans
  sourcebound conflicts --json > conflicts.json`,
  async use(engine, { flags: { json, ...scope }, terminal, signal }) {
    for await (const event of engine.conflicts({ ...scope, signal })) {
      if (event.type === "progress") {
        terminal.progress(`${event.done}/${event.total} documents, ${event.found} found`);
        continue;
      }
      const { documents, statements, compared, conflicts } = event;
      const found = conflicts.map(conflictToWire);
      const lines = found.flatMap((conflict, i) => [
        `${i + 1}. ${conflict.kind}, certainty ${conflict.certainty.toFixed(2)}`,
        ...joinConflicts([conflict]).map((one) => `${conflictLines(one, terminal.colors).join("\n")}\n`),
      ]);
      const total = `Conflicts found: ${conflicts.length}, among ${statements} statements of ${documents} documents (${compared} pairs compared).`;
      printResult(terminal, json, { documents, statements, compared, conflicts: found }, () => [...lines, total].join("\n"));
    }
  },
});
