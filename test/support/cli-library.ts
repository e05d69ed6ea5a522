import { cpSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import { createEngine } from "../../src/engine/engine.ts";
import { loadConfig } from "../../src/shared/config.ts";
import { answerToWire, type WireAnswer } from "../../src/wire/index.ts";
import { type CliOptions, type Finished, isCivil, type Running, runCli, runCliProcess, startCli } from "./cli.ts";
import { createSandbox, LIBRARY_QUESTIONS, type Sandbox } from "./library.ts";
import { SHARED_PARTS } from "./shared-parts.ts";

export const REINGEST = ["ingest", "documents", "--source", "documents"];
export const databaseOf = (sandbox: Sandbox) => join(sandbox.folder, "data", "sourcebound.db");

/** Ingests a library for all tests of the calling file. A test that damages it uses a copy. */
export function ingestedForAll(): { readonly sandbox: Sandbox; copy(): Sandbox } {
  const sandbox = createSandbox();
  beforeAll(async () => {
    const { code, stderr } = await cli(sandbox, REINGEST);
    if (code !== 0) throw new Error(stderr);
    // Move the log into the database, even while this process still has it open.
    const database = new DatabaseSync(databaseOf(sandbox));
    database.exec("pragma wal_checkpoint(truncate)");
    database.close();
  });
  afterAll(() => sandbox.remove());
  const copy = () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "sourcebound-test-")));
    cpSync(sandbox.folder, folder, { recursive: true });
    const env = { ...sandbox.env, SOURCEBOUND_DOMAINS_DIR: join(folder, "domains"), SOURCEBOUND_DATA_DIR: join(folder, "data") };
    const remove = () => rmSync(folder, { recursive: true, force: true });
    onTestFinished(remove);
    return { folder, env, remove };
  };
  return { sandbox, copy };
}

/** Creates a library with these documents, not ingested, which is deleted after the test. */
export function fresh(documents: Readonly<Record<string, string | Uint8Array>>): Sandbox {
  const made = createSandbox(documents);
  onTestFinished(() => made.remove());
  return made;
}

export function cli({ folder, env }: Sandbox, args: readonly string[], options: Partial<CliOptions> = {}): Promise<Finished> {
  return runCli(args, { cwd: folder, ...options, env: { ...env, ...options.env } });
}

/** Runs a separate process: for concurrent writers, files damaged under an open database, and permissions. */
export function apart({ folder, env }: Sandbox, args: readonly string[], options: Partial<CliOptions> = {}): Promise<Finished> {
  return runCliProcess(args, { cwd: folder, ...options, env });
}

export function start({ folder, env }: Sandbox, args: readonly string[]): Running {
  return startCli(args, { cwd: folder, env });
}

/** Asks questions in this process, on the current database. */
export async function askAll({ folder, env }: Sandbox, questions: readonly string[]): Promise<WireAnswer[]> {
  const engine = await createEngine(loadConfig({ cwd: folder, env }), SHARED_PARTS);
  try {
    const answers: WireAnswer[] = [];
    for (const question of questions) answers.push(answerToWire(await engine.answer(question)));
    return answers;
  } finally {
    await engine.close();
  }
}

export async function ask(sandbox: Sandbox, question: string): Promise<WireAnswer> {
  return (await askAll(sandbox, [question]))[0] as WireAnswer;
}

export async function stillAnswers(sandbox: Sandbox): Promise<void> {
  const questions = LIBRARY_QUESTIONS.map(({ question }) => question);
  const answers = await askAll(sandbox, questions);
  for (const [i, { holds }] of LIBRARY_QUESTIONS.entries()) expect(answers[i]?.answer_plain).toContain(holds);
}

/** Asserts a clear failure: exit code, message on stderr, nothing on stdout, no stack trace. */
export function expectFailure(run: Finished, code: number, words: RegExp): void {
  expect(run).toMatchObject({ code, stdout: "" });
  expect(run.stderr).toMatch(words);
  expect(isCivil(run)).toBe(true);
}
