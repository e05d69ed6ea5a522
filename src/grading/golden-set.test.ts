import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { folderOfTest } from "../../test/support/folders.ts";
import { RequestError } from "../shared/errors.ts";
import type { FileDescription } from "../store/documents.ts";
import { type DocumentFiles, layOutDocuments } from "./golden-set.ts";
import { parseGoldenFile, readGoldenFile, readGoldenFolder } from "./read-golden-files.ts";
import { brokenBounds, parseBound } from "./report.ts";

const here = folderOfTest();

function faultOf(name: string, text: string): RequestError {
  try {
    parseGoldenFile(name, text);
  } catch (error) {
    if (error instanceof RequestError) return error;
    throw error;
  }
  throw new Error(`${name} was read`);
}

describe("questions sent to a server", () => {
  it("are read like a file of that name", () => {
    const row = { id: "a", question: "How long?", key_values: ["21 days"] };
    const yaml = parseGoldenFile("own.yaml", "- { id: a, question: How long?, key_values: [21 days] }");
    expect(yaml.answerable).toMatchObject([row]);
    expect(parseGoldenFile("own.json", JSON.stringify([row]))).toEqual(yaml);
    expect(parseGoldenFile("own.jsonl", `\n${JSON.stringify(row)}\n`)).toEqual(yaml);
  });

  it("are rejected with their own name, the row and the cause", () => {
    const bad = faultOf("own.yaml", "questions:\n  - question: What is this?\n");
    expect(bad.message).toMatch(/^own\.yaml: question 1 is not valid: /);
    expect([bad.code, bad.data]).toEqual(["golden_invalid", { path: "own.yaml", row: 1 }]);
    const line = faultOf("own.jsonl", '{"id":"a","question":"How long?","answer":"a week"}\n{');
    expect(line.message).toMatch(/^own\.jsonl:2 is not valid: /);
    expect([line.data, line.cause instanceof SyntaxError]).toEqual([{ path: "own.jsonl", line: 2 }, true]);
    expect(faultOf("own.yaml", "- &a { id: a, question: Q, answer: A }\n- *a\n").message).toContain(
      "own.yaml has two questions with the id a",
    );
    expect(faultOf("own.yaml", "").code).toBe("golden_invalid");
    expect(faultOf("own.json", "[]").code).toBe("golden_missing");
  });

  it("may have any name, and read no file of the server", () => {
    expect(faultOf("/etc/hostname", "just words").message).toMatch(/^\/etc\/hostname contains no list of questions/);
  });

  it.each([
    ["nested lists", "- ".repeat(50_000)],
    ["nested brackets", "[".repeat(50_000)],
    ["nested records", "{a: ".repeat(50_000)],
  ])("do not stop the process with %s", (_, text) => {
    const { code, message } = faultOf("deep.yaml", text);
    expect([code, message]).toEqual([
      "golden_invalid",
      expect.stringContaining("deep.yaml could not be read: line 1: values are nested more than"),
    ]);
  });
});

describe("brokenBounds", () => {
  it("counts a figure without a value as broken, also its change, and rejects an unknown one", () => {
    const broken = (name: string) => brokenBounds([parseBound("under", `${name}=0`)], { x: null });
    expect(broken("x.change")).toEqual(["x.change could not be scored; it must be at least .00"]);
    expect(() => broken("y.change")).toThrow("Unknown figure");
  });
});

describe("readGoldenFile", () => {
  function file(name: string, text: string): string {
    writeFileSync(join(here.folder, name), text);
    return join(here.folder, name);
  }

  it("reads the same questions from YAML, JSON and JSON lines", () => {
    const rows = [
      { question: "How long?", key_values: ["21 days"], keyphrases: ["21 days", "renewed twice"] },
      { id: "u", question: "A piano?", kind: "near_miss" },
    ];
    const yaml = `questions:\n  - question: How long?\n    key_values: [21 days]\n    keyphrases: [21 days, renewed twice]\n  - { id: u, question: A piano?, kind: near_miss }\n`;
    const read = [
      file("a.yaml", yaml),
      file("a.json", JSON.stringify({ questions: rows })),
      file("b.json", JSON.stringify(rows)),
      file("a.jsonl", rows.map((row) => JSON.stringify(row)).join("\n")),
    ].map(readGoldenFile);
    expect(read[0]?.answerable).toMatchObject([{ id: "q1", keyphrases: ["21 days", "renewed twice"], gold_quotes: [] }]);
    expect(read[0]?.unanswerable).toMatchObject([{ id: "u", kind: "near_miss" }]);
    for (const one of read.slice(1)) expect(one).toEqual(read[0]);
  });

  it("names the line of a misspelt key and suggests the right one", () => {
    const row = { id: "a", question: "How long?", keyvalues: ["99 days"], answer: "21 days" };
    const read = (rows: readonly unknown[], name = "a.jsonl") =>
      readGoldenFile(file(name, rows.map((one) => JSON.stringify(one)).join("\n")));
    const told = 'question 2 is not valid: unknown key "keyvalues". Did you mean "key_values"?';
    expect(() => read([{ question: "How much?", answer: "x" }, row])).toThrow(told);
    for (const key of ["gold_quote", "Key-Values", "must_nto", "answers"])
      expect(() => read([{ question: "How long?", answer: "x", [key]: ["y"] }])).toThrow(`unknown key "${key}"`);
    expect(() => read([{ question: "A piano?", kind: "near_miss", contradictingquotes: ["x"] }])).toThrow(
      'Did you mean "contradicting_quotes"?',
    );
    file("answerable.jsonl", `\n${JSON.stringify(row)}`);
    expect(() => readGoldenFolder(here.folder)).toThrow(/answerable\.jsonl:2 is not valid: unknown key "keyvalues"/);
  });

  it("keeps notes, and reports other unknown keys without rejecting the set", () => {
    const rows = [
      { id: "a", question: "How long?", answer: "x", kind: "answerable", notes: { by: "me" } },
      { id: "u", question: "A piano?", kind: "false_premise", absent: "pianos", gold_pages: [], contradicting_pages: ["a.md"] },
      { id: "v", question: "A cello?", kind: "near_miss", absent: "cellos" },
    ];
    const { notices, unanswerable } = readGoldenFile(file("a.json", JSON.stringify(rows)));
    expect(unanswerable).toHaveLength(2);
    expect(notices).toEqual([
      `${join(here.folder, "a.json")}: ignored unknown keys: "absent" of u and 1 more. "contradicting_pages" of u. Did you mean "contradicting_quotes"? Use "notes" for comments.`,
    ]);
    expect(readGoldenFile(file("b.json", JSON.stringify(rows.slice(0, 1)))).notices).toEqual([]);
  });

  it.each([
    ["empty.yaml", "", "contains no list of questions"],
    ["none.json", "[]", "contains no questions"],
    ["broken.yaml", "questions: [", "could not be read"],
    ["broken.json", "{", "could not be read"],
    ["bare.yaml", "- { question: How long? }", "states no right answer"],
    ["kind.yaml", "- { question: How long?, kind: odd }", "question 1 is not valid"],
    ["number.yaml", "- 5", "question 1 is not valid"],
    ["aliases.yaml", `a: &a [x, x]\nb: &b [${"*a, ".repeat(60)}*a]\nquestions: [${"*b, ".repeat(60)}*b]`, "could not be read"],
  ])("reports the error of %s", (name, text, message) => {
    expect(() => readGoldenFile(file(name, text))).toThrow(message);
  });

  it("reports a missing file", () => {
    expect(() => readGoldenFile(join(here.folder, "nowhere.yaml"))).toThrow("The file or folder");
  });
});

describe("layOutDocuments", () => {
  function file(source: string, path: string, documents: readonly string[]): FileDescription {
    const about = { title: "", version: "1", characters: 1, chunks: 1, pages: null, format: null, encoding: null, notices: [] };
    return {
      ...{ tenant: null, source, path, status: documents.length === 0 ? "failed" : "ok", reason: null, updatedAt: "" },
      documents: documents.map((id) => ({ id, path, ...about })),
    };
  }
  /** Returns documents whose files contain their own ids. `read` lists the ids that were requested. */
  function fakeFiles(files: readonly FileDescription[]): DocumentFiles & { readonly read: string[] } {
    const read: string[] = [];
    return {
      read,
      scope: ({ domain = "library", tenant = null } = {}) => ({ domain, tenant, access: ["public"] }),
      store: { documents: { describe: async () => [...files] } },
      original: async (id) => {
        read.push(id);
        return { path: "", format: null, bytes: new Uint8Array(Buffer.from(`file of ${id}`)) };
      },
    };
  }
  const layOut = (files: DocumentFiles, signal: AbortSignal = new AbortController().signal) =>
    layOutDocuments(files, "library", { folder: here.folder, signal });

  it("writes every readable file once under its own path", async () => {
    const files = fakeFiles([file("a", "cards.md", ["1"]), file("a", "mail/box.mbox", ["2", "3"]), file("b", "broken.pdf", [])]);
    await layOut(files);
    expect(files.read).toEqual(["1", "2"]);
    expect(readdirSync(here.folder, { recursive: true }).sort()).toEqual(["cards.md", "mail", "mail/box.mbox"]);
    expect(readFileSync(join(here.folder, "mail/box.mbox"), "utf8")).toBe("file of 2");
  });

  it("rejects two sources with a file of the same path, and names both", async () => {
    const files = fakeFiles([file("north", "cards.md", ["1"]), file("south", "cards.md", ["2"])]);
    await expect(layOut(files)).rejects.toMatchObject({
      code: "corpus_ambiguous",
      message: expect.stringContaining("cards.md (north, south)"),
    });
    expect(files.read).toEqual(["1"]);
  });

  it.each(["../cards.md", "a/../../cards.md", "..", ""])("rejects a file at %j before reading it", async (path) => {
    const files = fakeFiles([file("north", path, ["1"])]);
    await expect(layOut(files)).rejects.toMatchObject({ code: "path_outside", message: expect.stringContaining("north") });
    expect(files.read).toEqual([]);
  });

  it("reports an empty domain", async () => {
    await expect(layOut(fakeFiles([]))).rejects.toMatchObject({ code: "corpus_missing" });
    await expect(layOut(fakeFiles([file("a", "broken.pdf", [])]))).rejects.toMatchObject({ code: "corpus_missing" });
  });

  it("stops between two files when it is cancelled", async () => {
    const stop = new AbortController();
    const files = fakeFiles([file("a", "one.md", ["1"]), file("a", "two.md", ["2"])]);
    const { original } = files;
    const stopping: DocumentFiles = {
      ...files,
      original: async (id, options) => {
        stop.abort();
        return await original(id, options);
      },
    };
    await expect(layOut(stopping, stop.signal)).rejects.toThrow("aborted");
    expect(readdirSync(here.folder)).toEqual(["one.md"]);
  });
});
