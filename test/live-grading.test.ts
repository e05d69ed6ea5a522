import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { profiles } from "../src/profiles/index.ts";
import { canonicalJson } from "../src/proofs/canonical-json.ts";
import { sha256Hex } from "../src/text/hash.ts";
import { runCli } from "./support/cli.ts";
import { folderOfFile, writeIn } from "./support/folders.ts";

const QUESTION = "What does a lost card cost?";
const METRICS = ["answer_relevancy", "chain_terminology", "faithfulness", "pii_leakage", "token_budget"];
const KEY_FREE = profiles.filter(({ needs }) => !needs.includes("model")).map(({ name }) => name);

const cwd = folderOfFile();
beforeAll(async () => {
  writeIn(cwd, "documents/cards.md", "# Cards\n\nA lost card costs 5 dollars to replace.\n");
  expect((await runCli(["ingest", "./documents"], { cwd })).code).toBe(0);
});

async function asked(profile: string, env: Readonly<Record<string, string>> = {}) {
  const { stdout, code } = await runCli(["ask", "--json", "--profile", profile, QUESTION], { cwd, env });
  return {
    code,
    answer: JSON.parse(stdout) as { status: string; report?: { overall_pass: boolean | null; metrics: Record<string, unknown> } },
  };
}

describe("live grading", () => {
  it.each(KEY_FREE)("reports every metric for an answer of %s if all answers are graded", async (profile) => {
    const { answer } = await asked(profile, { SOURCEBOUND_GRADE: "always" });
    if (answer.status !== "ok") return expect(profile).not.toBe("sourcebound");
    expect(Object.keys(answer.report?.metrics ?? {}).sort()).toEqual(METRICS);
    expect(answer.report?.overall_pass).not.toBeUndefined();
  });

  it("is part of a verifiable proof, which fails with another threshold", async () => {
    const env = { SOURCEBOUND_GRADE: "always" };
    expect((await runCli(["ask", "--proof", "proof.json", QUESTION], { cwd, env })).code).toBe(0);
    const verify = (file: string) => runCli(["prove", "verify", file, "--documents", "documents"], { cwd });
    expect((await verify("proof.json")).code).toBe(4);
    const proof = JSON.parse(readFileSync(join(cwd, "proof.json"), "utf8")) as { statement: object };
    const statement = JSON.parse(JSON.stringify(proof.statement).replace('"embedded":0.2', '"embedded":0.1')) as object;
    expect(statement).not.toEqual(proof.statement);
    writeFileSync(join(cwd, "forged.json"), JSON.stringify({ ...proof, statement, digest: sha256Hex(canonicalJson(statement)) }));
    const forged = await verify("forged.json");
    expect([forged.code, forged.stdout + forged.stderr]).toEqual([5, expect.stringContaining("lists other checks than the profile")]);
  });
});
