import { statSync, watch } from "node:fs";
import { setTimeout } from "node:timers/promises";
import type { Command } from "commander";
import type { Engine } from "../../engine/engine.ts";
import { MAX_FILE_BYTES } from "../../ingest/limits.ts";
import { RequestError } from "../../shared/errors.ts";
import type { EmbeddingCost, IngestEvent } from "../../shared/events.ts";
import { toSnakeCase } from "../../text/validate.ts";
import { define, type FlagsOf, toWhole } from "../command.ts";
import { type CliContext, configOf, EXIT, pathOf, readInput, readText, withEngine } from "../context.ts";
import { counted, harmlessLine, type Terminal } from "../terminal.ts";

const OPTIONS = [
  ["--domain <name>", "domain of the documents"],
  ["--tenant <name>", "show the documents only to this tenant (default: not limited to a tenant)"],
  ["--access <label>", "access label for documents that name none themselves"],
  ["--base-url <url>", "base URL of the published documents: the file a/b.md has the address URL/a/b/"],
  ["--root <folder>", "make document paths relative to this folder"],
  ["--source <name>", "name of the files' source (default: the folder); an ingest deletes only vanished files of its own source"],
  ["--allow-empty", "accept a folder that contains no documents any more, and delete those ingested from it"],
  ["--files-from <file>", "read the files listed in this file, one per line; - for standard input"],
  ["--name <file>", "file name for a document from standard input; its extension determines the format", { default: "input.md" }],
  ["--depth <n>", "web only: number of links to follow from the address (default 2)", { parse: toWhole }],
  [
    "--hosts <names>",
    "web only: allowed hosts including subdomains, comma-separated (default: the host of the address)",
    { parse: (names: string): readonly string[] => names.split(",") },
  ],
  ["--max-pages <n>", "web only: maximum number of pages (default 500)", { parse: toWhole }],
  ["--dry-run", "read and report without storing anything"],
  ["--watch", "keep running and ingest again whenever the folder changes"],
  ["--queue", "queue the folder for `sourcebound worker`, which must be able to read it at the same path"],
  ["--json", "print the summary as JSON"],
] as const;
type IngestFlags = FlagsOf<typeof OPTIONS>;

export const addIngestCommand = define("ingest", {
  description: "ingest documents from folders, files or web pages: add new and changed ones, delete those that vanished",
  argument: ["[what...]", "folders (including subfolders), files, a web address or sitemap, or - for standard input"],
  options: OPTIONS,
  help: `
Formats: PDF, DOCX, ODT, RTF, EPUB, PPTX, ODP, XLSX, ODS, CSV, HTML, Markdown, JSON, YAML, mail (EML, MBOX) with attachments, subtitles
(VTT, SRT), ZIP archives and plain text in any common encoding.
An interrupted run loses nothing: run the same command again to continue.

A named file or folder that does not exist is an error before anything is read. A file that cannot be read keeps the text from the last
successful run, and the summary says so.

From the web, only allowed hosts with public addresses are requested, one page at a time, as robots.txt allows. Ingesting single files leaves
the other files of their source unchanged.

Exit code: 0 all files read (in a folder: all files in supported formats), 4 some could not be read (the others are ingested), 1 failed, 2 usage error.

Examples:
  sourcebound ingest ./documents
  sourcebound ingest ./documents --watch
  sourcebound ingest handbook.pdf prices.xlsx
  sourcebound ingest https://docs.example.com/sitemap.xml --max-pages 200
  pandoc notes.tex -t markdown | sourcebound ingest - --name notes.md
  sourcebound ingest ./handbook --domain retail --tenant novamart --base-url https://help.example.com`,
  run: ({ flags, given, command, context }) => ingestNamed(given, flags, command, context),
});

async function ingestNamed(what: readonly string[], flags: IngestFlags, command: Command, context: CliContext): Promise<void> {
  const [folder] = what;
  const isFolder =
    what.length === 1 && folder !== undefined && statSync(pathOf(context, folder), { throwIfNoEntry: false })?.isDirectory() === true;
  if (flags.watch === true && !isFolder)
    throw new RequestError("unknown_watch", "--watch accepts exactly one folder. Name only that folder.");
  await withEngine(context, configOf(context, command), async (engine) => {
    const { json, root, queue, domain, tenant, source, access, baseUrl, allowEmpty } = flags;
    if (queue === true) {
      if (!isFolder) throw new RequestError("unknown_queue", "--queue accepts exactly one folder. Name only that folder.");
      const left = { domain, tenant, source, access, baseUrl, allowEmpty, root: pathOf(context, root) };
      const job = await engine.queue(pathOf(context, folder), left);
      context.terminal.print(json === true ? JSON.stringify(job) : `queued for a worker: ${harmlessLine(folder)}`);
      return;
    }
    const run = async () => {
      let failed = 0;
      for (const events of await sourcesOf(what, flags, engine, context))
        failed += await showIngest(events, context.terminal, flags.json === true);
      context.exitCode = failed > 0 ? EXIT.partly : EXIT.done;
      const { documents } = await engine.counts(engine.scope({ domain, tenant }));
      if (documents > 0 && json !== true && flags.dryRun !== true) context.terminal.print(nextStep(context.terminal, domain));
    };
    if (flags.watch !== true || folder === undefined) return run();
    await follow(folder, context, run);
  });
}

function nextStep({ asTyped, colors }: Terminal, domain: string | undefined): string {
  return colors.dim(asTyped(`Next: sourcebound ask${domain === undefined ? "" : ` --domain ${domain}`} "…", or sourcebound serve`));
}

/** Milliseconds between two checks whether the folder changed. */
const LOOK_MS = 250;
/** Milliseconds without a further change before an ingest begins, because programs write a file in several steps. */
const QUIET_MS = 500;

/** Ingests a folder, and again after every change. A change during an ingest causes another ingest after it. */
async function follow(folder: string, context: CliContext, run: () => Promise<void>): Promise<void> {
  let changedAt = Number.POSITIVE_INFINITY;
  let failure: unknown = null;
  const watcher = watch(pathOf(context, folder), { recursive: true }, () => {
    changedAt = Date.now();
  });
  watcher.on("error", (error) => {
    failure = error;
  });
  try {
    await run();
    context.terminal.error(`watching ${folder}; press Ctrl-C to stop`);
    while (!context.signal.aborted) {
      await setTimeout(LOOK_MS);
      if (failure !== null) throw failure;
      if (Date.now() - changedAt < QUIET_MS) continue;
      changedAt = Number.POSITIVE_INFINITY;
      await run();
    }
  } finally {
    watcher.close();
  }
}

/**
 * Creates the ingests: one per folder, one per address, one for standard input, and one for all single files together.
 * All paths are checked first.
 */
async function sourcesOf(
  what: readonly string[],
  flags: IngestFlags,
  engine: Engine,
  context: CliContext,
): Promise<AsyncIterable<IngestEvent>[]> {
  const { json: _json, watch: _watch, filesFrom, name = "", depth, hosts, maxPages, root, ...given } = flags;
  const options = { ...given, signal: context.signal };
  const paths = what.filter((one) => one !== "-" && !isAddress(one)).map((one) => pathOf(context, one));
  const files = [...paths.filter(isFilePath), ...(await listedIn(filesFrom, context))];
  const { assertThere } = await import("../../ingest/scan.ts");
  assertThere({ folders: paths.filter((path) => !isFilePath(path)), files, root: pathOf(context, root ?? ".") });
  if (what.includes("-")) (await import("../../ingest/formats/formats.ts")).inputName(name);
  const sources: AsyncIterable<IngestEvent>[] = [];
  for (const one of what) {
    if (isAddress(one)) sources.push(engine.ingestUrl(one, { ...options, depth, hosts, maxPages }));
    else if (one === "-") sources.push(engine.ingestBytes({ name, bytes: await readStandardInput(context) }, options));
    else if (!isFilePath(pathOf(context, one)))
      sources.push(engine.ingest(pathOf(context, one), { ...options, root: pathOf(context, root) }));
  }
  if (files.length > 0) sources.push(engine.ingestFiles(files, { ...options, root: pathOf(context, root ?? ".") }));
  if (sources.length === 0)
    throw new RequestError("unknown_source", "Nothing to ingest. Name a folder, files, an address, or - for standard input.");
  return sources;
}

/** Reads a list of files to ingest, one path per line. */
async function listedIn(filesFrom: string | undefined, context: CliContext): Promise<string[]> {
  if (filesFrom === undefined) return [];
  const list =
    filesFrom === "-" ? (await readStandardInput(context)).toString("utf8") : await readText(context, filesFrom, "unknown_list", "list");
  return list.split(/\r?\n/).flatMap((line) => (line.trim() === "" ? [] : [pathOf(context, line)]));
}

function isAddress(one: string): boolean {
  return /^https?:\/\//i.test(one);
}

function isFilePath(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

async function readStandardInput(context: CliContext): Promise<Buffer> {
  const bytes = await readInput(context, MAX_FILE_BYTES);
  if (bytes.length <= MAX_FILE_BYTES) return bytes;
  const message = `Standard input exceeds ${MAX_FILE_BYTES} bytes, the limit of one file. Split it into several files.`;
  throw new RequestError("input_too_large", message);
}

/** Maximum file names per list in the summary. */
const SUMMARY_NAMES = 10;
/** Maximum number of skipped files to print. The summary counts all skipped files by reason. */
const SKIPPED_NAMES = 20;

/** Prints the events of an ingest. Returns the number of failures. */
export async function showIngest(events: AsyncIterable<IngestEvent>, terminal: Terminal, json: boolean): Promise<number> {
  let failed = 0;
  const skipped = new Map<string, number>();
  const skip = (path: string, reason: string) => {
    skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
    terminal.error(harmlessLine(`skipped ${path}: ${reason}`));
  };
  let embedFailure: string | null = null;
  const failures: Failure[] = [];
  const gone: string[] = [];
  for await (const event of events) {
    switch (event.type) {
      case "scan-end":
        for (const { path, reason } of event.skipped.slice(0, SKIPPED_NAMES)) skip(path, reason);
        for (const { reason } of event.skipped.slice(SKIPPED_NAMES)) skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
        if (event.skipped.length > SKIPPED_NAMES) terminal.error(`skipped ${event.skipped.length - SKIPPED_NAMES} more files`);
        break;
      case "document": {
        const { done, total } = event.counts;
        if (event.outcome === "deleted") gone.push(event.path);
        terminal.progress(`${done}/${total} files: ${event.path}`);
        break;
      }
      case "page":
        if (event.reason === null) terminal.progress(`${event.done} pages, ${event.queued} queued: ${event.url}`);
        else skip(event.url, event.reason);
        break;
      case "file-skipped":
        skip(event.path, event.reason);
        break;
      case "file-failed":
        failures.push({ path: event.path, code: event.code, reason: event.reason, readAt: event.readAt });
        terminal.error(harmlessLine(`failed ${event.path}: ${event.reason}`));
        break;
      case "embed":
        terminal.progress(`vectors: ${event.done}/${event.total} windows`);
        break;
      case "embed-failed":
      case "index-failed": {
        embedFailure = event.reason;
        const [fault, found] = INCOMPLETE[event.type];
        terminal.error(`${fault}: ${event.reason} The documents are stored${found}. Run the same command again to continue.`);
        break;
      }
      case "ingest-end": {
        failed = event.counts.failed + (embedFailure === null ? 0 : 1);
        for (const { path, code, message } of event.notices) if (code !== FIGURES) terminal.error(harmlessLine(`note ${path}: ${message}`));
        terminal.print(json ? asJson(event, { failures, embedFailure, skipped, gone }) : asLine(event, { failures, skipped, gone }));
        break;
      }
      default:
        event satisfies never;
    }
  }
  return failed;
}

const INCOMPLETE = {
  "embed-failed": ["The vectors could not be computed", " and can be found by their words"],
  "index-failed": ["The search index is not complete", ""],
} as const;

type IngestEnd = Extract<IngestEvent, { type: "ingest-end" }>;

/** A file that could not be read. `readAt` is the ISO 8601 time of its stored version; `null`: none is stored. */
type Failure = Pick<Extract<IngestEvent, { type: "file-failed" }>, "path" | "code" | "reason" | "readAt">;

/** What happened during an ingest, for its summary. */
interface Met {
  readonly failures: readonly Failure[];
  readonly embedFailure: string | null;
  /** Number of skipped files by reason. */
  readonly skipped: ReadonlyMap<string, number>;
  /** Paths of deleted files. One of them may be the earlier name of a file that could not be read. */
  readonly gone: readonly string[];
}

function asJson(event: IngestEnd, { failures, embedFailure, skipped, gone }: Met): string {
  return JSON.stringify({
    ...keptCounts(event),
    chunks: event.chunks,
    ms: event.ms,
    revision: event.revision,
    failures: failures.map(({ readAt, ...failure }) => ({ ...failure, read_at: readAt })),
    gone,
    embedding: toSnakeCase(event.embedding),
    embed_failure: embedFailure,
    skipped: Object.fromEntries(skipped),
    notices: event.notices,
    pages_without_text: emptyPages(event),
    figures_without_text: silentFigures(event),
    dry_run: event.dryRun,
    not_read: event.unread,
  });
}

function asLine(event: IngestEnd, { failures, skipped, gone }: Omit<Met, "embedFailure">): string {
  const standing = failures.flatMap(({ path, readAt }) => (readAt === null ? [] : [`${path} (${readAt.slice(0, 10)})`]));
  const [empty, figures] = [emptyPages(event), silentFigures(event)];
  const unread = Object.entries(event.unread).map(([kind, n]) => `${n} ${kind}`);
  const counts = [
    ...Object.entries(keptCounts(event)).map(([name, n]) => `${n} ${name}`),
    ...[...skipped].map(([reason, count]) => `${count} skipped (${reason})`),
    ...(empty === 0 ? [] : [`${counted(empty, "page")} without text`]),
    ...(figures === 0 ? [] : [`${counted(figures, "picture")} without text`]),
  ].join(", ");
  return [
    event.dryRun ? `Nothing was stored. A real run would give: ${counts}` : counts,
    ...listed("unreadable now; the previous version is kept", standing),
    ...listed("vanished, and deleted with everything read from it", gone),
    `${counted(event.chunks, "chunk")} ${event.dryRun ? "read" : "written"} in ${(event.ms / 1000).toFixed(2)} s`,
    ...describeCost(event.embedding),
    ...listed("skipped, unsupported format", unread),
  ].join("; ");
}

function listed(heading: string, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const more = names.length - SUMMARY_NAMES;
  return [`${heading}: ${names.slice(0, SUMMARY_NAMES).map(harmlessLine).join(", ")}${more > 0 ? ` and ${more} more` : ""}`];
}

function keptCounts({ counts: { total: _total, done: _done, bytes: _bytes, ...counts } }: IngestEnd) {
  return counts;
}

function emptyPages({ notices }: IngestEnd): number {
  return notices.filter(({ code }) => code === "pages_without_text").reduce((sum, { pages }) => sum + (pages?.length ?? 0), 0);
}

/**
 * Code of notices about pictures without text. They are so common that the summary only counts them. `documents show` lists
 * them by file.
 */
const FIGURES = "figures_without_text";

function silentFigures({ notices }: IngestEnd): number {
  return notices.filter(({ code }) => code === FIGURES).reduce((sum, { count = 0 }) => sum + count, 0);
}

function describeCost(cost: EmbeddingCost | null): string[] {
  if (cost === null) return [];
  const tokens = cost.tokens === null ? "tokens not reported by the endpoint" : `${cost.tokens} tokens`;
  const price = cost.costUsd === null ? "price unknown" : `$${cost.costUsd.toFixed(6)} at list price`;
  return [`vectors from ${cost.model}: ${tokens}, ${price}`];
}
