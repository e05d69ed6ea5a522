import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { createRandom } from "../src/grading/metrics.ts";
import { canonicalJson, createProofModels, type Proof, verifyProof } from "../src/proof.ts";
import { createProofKey, publicPem, readPrivateKey, signStatement } from "../src/proofs/signature.ts";
import { answerToWire, askResponseSchema } from "../src/wire/index.ts";
import { runCli } from "./support/cli.ts";
import { libraryForAll, openInTest } from "./support/engine.ts";
import { LIBRARY_DOCUMENTS, LIBRARY_QUESTIONS, UNANSWERABLE, writeFiles } from "./support/library.ts";
import { rounds } from "./support/trials.ts";

/** Many verifications take minutes on a busy machine. */
const PATIENCE_MS = 3_600_000;

let folder = "";
let key = "";
const proofs: Proof[] = [];
/** A model's draft: the second sentence is no quote, the third cites nothing. */
const WRITTEN = [
  "A lost card costs 3 dollars to replace. [1] ",
  "It takes two days until the new card is there [1]. ",
  "Ask the front desk.",
];

const writer = {
  id: "scripted",
  async *stream() {
    for (const text of WRITTEN) yield { type: "text" as const, text };
    yield { type: "end" as const, inputTokens: 10, outputTokens: 10 };
  },
};
vi.setConfig({ testTimeout: PATIENCE_MS, hookTimeout: PATIENCE_MS });
const library = libraryForAll({ models: { small: writer, large: writer } });
beforeAll(async () => {
  folder = join(library.sandbox.folder, "documents");
  key = library.engine.proofKey();
  const profiles = [undefined, "spark", "validator"] as const;
  for (const profile of profiles) {
    for (const question of [...LIBRARY_QUESTIONS.map((one) => one.question), "What does replacing a lost card cost?", UNANSWERABLE]) {
      try {
        const { id } = await library.ask(question, { profile });
        proofs.push(await library.engine.prove(id));
      } catch (error) {
        if (profile === undefined) throw error;
      }
    }
  }
}, PATIENCE_MS);

/** Loaded once for all proofs of this file. */
const models = createProofModels();
const verify = (proof: unknown, options: Parameters<typeof verifyProof>[2] = { key }) =>
  verifyProof(JSON.stringify(proof), folder, { models, ...options });
const digestOf = (statement: unknown) => createHash("sha256").update(canonicalJson(statement)).digest("hex");

/** An attacker recomputes every hash and signs with another key. */
function forge(proof: Proof, own: string): Proof {
  const canonical = canonicalJson(proof.statement);
  return { ...proof, digest: digestOf(proof.statement), signature: signStatement(canonical, readPrivateKey(own)) };
}

function sign(proof: Proof): Proof {
  return forge(proof, readFileSync(join(library.engine.config.data_dir, "proof-key.pem"), "utf8"));
}

function withWeights(statement: Proof["statement"]): Proof["statement"] {
  const { weights } = statement.checking;
  const [name = ""] = Object.keys(weights);
  return { ...statement, checking: { ...statement.checking, weights: { ...weights, [name]: "0".repeat(64) } } };
}

describe("a proof", () => {
  it("verifies with documents and key, for quotes, a model's sentences and refusals", async () => {
    const writers = new Set(proofs.map(({ statement }) => statement.answer.model));
    expect([...writers]).toEqual(expect.arrayContaining(["scripted", "none"]));
    expect(proofs.some(({ statement }) => statement.answer.checks.some((check) => (check as { name: string }).name === "support"))).toBe(
      true,
    );
    for (const proof of proofs) {
      const { status, steps } = await verify(proof);
      const unsound = steps.filter(({ ok }) => ok !== true);
      expect([status, unsound], proof.statement.question.text).toEqual(["verified", []]);
    }
  });

  it("is sound but of unknown origin without a key, and is checked against the published root", async () => {
    const [proof] = proofs as [Proof];
    const { root } = await library.engine.corpusRoot();
    expect(proof.statement.corpus.root).toBe(root);
    expect((await verify(proof, { root })).status).toBe("sound");
    expect((await verify(proof, { root: "0".repeat(64), key })).status).toBe("rejected");
    expect((await verify(proof, { key: publicPem(readPrivateKey(createProofKey())) })).status).toBe("rejected");
  });

  it("says what only the signature supports when wording is not scored again", async () => {
    for (const proof of proofs) {
      const { status, steps } = await verify(proof, { key, reader: false });
      expect(status).toBe("verified");
      const { drafts, quotes, question } = proof.statement;
      const isVerbatim = drafts.every((draft) => draft.quotes.length === 1 && quotes[draft.quotes[0] as number]?.text === draft.text);
      const skipped = steps.filter(({ ok }) => ok === null).map(({ name }) => name);
      if (isVerbatim && question.profile === "sourcebound") expect(skipped).toEqual([]);
      if (!isVerbatim) expect(skipped).toEqual(["sentences", "answer"]);
    }
  });

  it("is rejected when a document's bytes differ", async () => {
    const [proof] = proofs as [Proof];
    const path = join(folder, proof.statement.documents[0]?.path ?? "");
    const bytes = readFileSync(path);
    try {
      writeFileSync(path, `${bytes.toString("utf8")} `);
      expect((await verify(proof)).steps.find(({ ok }) => ok === false)).toMatchObject({
        name: "documents",
        reason: expect.stringContaining("has changed"),
      });
    } finally {
      writeFileSync(path, bytes);
    }
  });

  it("is returned with the answer on request, also over the API", async () => {
    const answer = await library.ask("How long may films be kept?", { proof: true });
    const wire = askResponseSchema.parse(answerToWire(answer));
    expect((await verify(wire.proof)).status).toBe("verified");
    const kept = await library.ask("How long may films be kept?", { proof: true, privacy: "ephemeral" });
    expect(kept).toMatchObject({ proof: null, warnings: expect.arrayContaining([expect.objectContaining({ code: "proof_missing" })]) });
  });

  it("of another version is neither accepted nor rejected, and names the program that can verify it", async () => {
    const made = proofs.find(({ statement }) => statement.answer.model === "scripted") as Proof;
    const { checks: _number, ...first } = made.statement;
    const reworded = first.answer.warnings.map(({ code, message }) => ({ code, message: `Sentence 2: ${message}` }));
    const statements: [string, Proof["statement"], Proof["format"]][] = [
      ["the first format", { ...first, answer: { ...first.answer, warnings: reworded } }, "sourcebound-proof-1"],
      ["other checks", { ...made.statement, checks: 999 }, made.format],
      ["another version", { ...made.statement, software: "0.0.1" }, made.format],
      ["other weights", withWeights(made.statement), made.format],
    ];
    for (const [what, statement, format] of statements) {
      const signed = sign({ ...made, format, statement });
      const { status, steps } = await verify(signed);
      expect(status, what).toBe("unchecked");
      const { null: unknown = [], false: failed = [] } = Object.groupBy(steps, ({ ok }) => `${ok}`);
      expect(unknown.map(({ reason }) => reason).join(), what).toMatch(/Verify it with (that version|the original program version)/);
      expect(failed, what).toEqual([]);
      // Naming another version does not bypass the checks of documents, signature and schema.
      const invented = { ...statement, quotes: statement.quotes.map((one) => ({ ...one, text: `not ${one.text}` })) };
      expect((await verify(sign({ ...made, format, statement: invented }))).status, what).toBe("rejected");
      expect((await verify(forge({ ...made, format, statement }, createProofKey()))).status, what).toBe("rejected");
      const said = { ...statement.answer, sentences: [{ text: "Cards are free.", citations: [1] }] };
      expect((await verify(sign({ ...made, format, statement: { ...statement, answer: said } }))).status, what).toBe("unchecked");
    }
    for (const [statement, format] of [
      [first, "sourcebound-proof-2"],
      [made.statement, "sourcebound-proof-1"],
    ] as const)
      expect((await verify(sign({ ...made, format, statement }))).status).toBe("rejected");
  });

  it("is withheld from another tenant or without the label", async () => {
    const { id } = await library.ask("How long may books be kept?", { tenant: "alice" });
    await expect(library.engine.prove(id)).rejects.toMatchObject({ code: "unknown_answer" });
    await expect(library.engine.prove(id, { tenant: "bob" })).rejects.toMatchObject({ code: "unknown_answer" });
    await expect(library.engine.prove(id, { tenant: "alice", access: [] })).rejects.toMatchObject({ code: "unknown_answer" });
    expect((await library.engine.prove(id, { tenant: "alice" })).statement.question.tenant).toBe("alice");
  });

  it("can be made after its document was replaced, but not after it was deleted", async () => {
    const own = await openInTest();
    const { id } = await own.ask(LIBRARY_QUESTIONS[0].question);
    const before = await own.engine.prove(id);
    writeFiles(own.sandbox.folder, { "documents/cards.md": LIBRARY_DOCUMENTS["cards.md"]?.replace("5 dollars", "9 dollars") ?? "" });
    await own.ingest();
    const after = await own.engine.prove(id);
    expect(after.statement).toEqual(before.statement);
    for (const one of await own.engine.files()) if (one.path === "cards.md") await own.engine.deleteFile(one);
    await expect(own.engine.prove(id)).rejects.toMatchObject({ code: "proof_documents_gone" });
  });
});

describe("a tampered proof", () => {
  it("is never accepted, for any field, even with recomputed hashes and another signature", async () => {
    const random = createRandom(20_261_122);
    const own = createProofKey();
    const total = rounds({ all: 10_000, usually: 160 });
    const places = proofs.flatMap((proof) => {
      const canonical = canonicalJson(proof);
      return leavesOf(proof).map((path) => ({ proof, canonical, path, name: nameOf(path) }));
    });
    const fields = [...Map.groupBy(places, ({ name }) => name).values()];
    const covered = new Set<string>();
    const accepted: string[] = [];
    for (let n = 0; n < total; n++) {
      const places = fields[n % fields.length] ?? [];
      const { proof, canonical, path } = places[Math.floor(random() * places.length)] as (typeof places)[number];
      const changed = tamper(proof, path, random) as Proof;
      if (canonicalJson(changed) === canonical) continue;
      covered.add(nameOf(path));
      const kind = Math.floor(n / fields.length + n) % 3;
      const forged =
        kind === 0 ? changed : kind === 1 ? { ...changed, digest: digestOf(changed.statement ?? null) } : forgeIfPossible(changed, own);
      if (canonicalJson(forged) === canonical) continue;
      const { status } = await verify(forged);
      if (status === "verified") accepted.push(`${nameOf(path)} (${kind})`);
    }
    expect(accepted).toEqual([]);
    expect(covered.size).toBeGreaterThan(0.9 * Math.min(total, fields.length));
  });

  it("is detected by documents and checks alone where they suffice, without any key", async () => {
    const proof = proofs.find(({ statement }) => statement.answer.citations.length > 0 && statement.served === null) as Proof;
    const told = [
      "answer.sentences",
      "answer.citations",
      "answer.claims",
      "answer.checks",
      "answer.status",
      "quotes",
      "documents",
      "corpus.root",
      "checking.settings",
      "drafts[].text",
      "drafts[].quotes",
      "drafts[].missing",
      "drafts[].dangling",
    ];
    const random = createRandom(7);
    const sound: string[] = [];
    const fields = Map.groupBy(leavesOf(proof.statement), nameOf);
    for (const path of [...fields.values()].flatMap((paths) => paths.slice(0, rounds({ all: 100, usually: 2 })))) {
      const statement = tamper(proof.statement, path, random) as Proof["statement"];
      const name = nameOf(path);
      if (canonicalJson(statement) === canonicalJson(proof.statement) || !told.some((one) => name.startsWith(one))) continue;
      if (name === "drafts[].quotes" && sameSet(proof.statement, statement)) continue;
      // A paraphrase of a removed draft is removed as well and displayed nowhere.
      if (name === "drafts[].text" && !isShown(proof.statement, Number(path[1]))) continue;
      const { status } = await verify({ ...proof, statement, digest: digestOf(statement) }, {});
      if (status !== "rejected") sound.push(name);
    }
    expect([...new Set(sound)]).toEqual([]);
  });

  it("is rejected with a reason for any file content", async () => {
    const [proof] = proofs as [Proof];
    const text = JSON.stringify(proof);
    const path = (to: string) =>
      JSON.stringify({
        ...proof,
        statement: { ...proof.statement, documents: proof.statement.documents.map((one) => ({ ...one, path: to })) },
      });
    const hostile = [
      "",
      "null",
      "[".repeat(100_000),
      text.slice(0, -1),
      `${text}x`,
      text.replace("{", '{"format":"sourcebound-proof-1",'),
      path("../../../../etc/passwd"),
      path("/etc/passwd"),
      path("x".repeat(10_000)),
      "1".repeat(17_000_000),
    ];
    for (const one of hostile) {
      const verdict = await verifyProof(one, folder, { key, models });
      expect(verdict.status, one.slice(0, 80)).toBe("rejected");
      expect(verdict.steps.find(({ ok }) => ok === false)?.reason).not.toBe("");
    }
  });
});

describe("sourcebound prove", () => {
  it("exports, prints key and root, and verifies with an exit code for each result", async () => {
    const { sandbox } = library;
    const options = { cwd: sandbox.folder, env: sandbox.env };
    const { id } = await library.ask("How long may films be kept?");
    const run = (...args: string[]) => runCli(["prove", ...args], options);
    expect(await run("export", id, "--out", "proof.json")).toMatchObject({ code: 0, stdout: "" });
    writeFileSync(join(sandbox.folder, "key.pem"), (await run("key")).stdout);
    const { root } = JSON.parse((await run("root", "--json")).stdout) as { root: string };
    const json = await run("verify", "proof.json", "--documents", "documents", "--key", "key.pem", "--root", root, "--json");
    expect(JSON.parse(json.stdout)).toMatchObject({ status: "verified", id });
    writeFileSync(
      join(sandbox.folder, "bad.json"),
      readFileSync(join(sandbox.folder, "proof.json"), "utf8").replaceAll("7 days", "8 days"),
    );
    const [documents, signed] = [
      ["--documents", "documents"],
      ["--key", "key.pem"],
    ];
    for (const [args, code, words] of [
      [["verify", "proof.json", ...documents, ...signed], 0, "Verified"],
      [["verify", "proof.json", ...documents], 4, "of unknown origin"],
      [["verify", "bad.json", ...documents, ...signed], 5, "Rejected"],
      [["verify", "none.json", ...documents], 2, "Give the path of a readable file that contains the proof"],
      [["verify", "proof.json", "--documents", "nodir", ...signed], 2, "nodir does not exist. Give the folder of the documents"],
      [["verify", "proof.json", "--documents", "key.pem", ...signed], 2, "key.pem is not a folder"],
      [["export", "nobody"], 2, "no recorded answer"],
    ] as const) {
      const { code: ended, stdout, stderr } = await run(...args);
      expect([args, ended, code === 2 ? stderr : stdout]).toEqual([args, code, expect.stringContaining(words)]);
      if (code === 2) expect(stdout).toBe("");
    }
  });
});

/** The order of citations in a removed sentence cannot be verified. */
function sameSet(one: Proof["statement"], other: Proof["statement"]): boolean {
  const sets = ({ drafts }: Proof["statement"]) =>
    canonicalJson(drafts.map(({ quotes }) => [...new Set(quotes ?? [])].sort((a, b) => a - b)));
  return sets(one) === sets(other);
}

type Path = readonly (string | number)[];

/** Returns the paths of all values in a JSON value. */
function leavesOf(value: unknown, at: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [at];
  return [
    ...(at.length === 0 ? [] : [at]),
    ...Object.entries(value).flatMap(([name, one]) => leavesOf(one, [...at, Array.isArray(value) ? Number(name) : name])),
  ];
}

function nameOf(path: Path): string {
  return path.reduce<string>((name, step) => (typeof step === "number" ? `${name}[]` : name === "" ? step : `${name}.${step}`), "");
}

function tamper(value: unknown, path: Path, random: () => number): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return changed(value, random);
  if (Array.isArray(value)) return value.map((one, i) => (i === step ? tamper(one, rest, random) : one));
  return { ...(value as object), [step]: tamper((value as Record<string, unknown>)[step], rest, random) };
}

function changed(value: unknown, random: () => number): unknown {
  const pick = <T>(...from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  if (value === null) return pick<unknown>(0, "", "x", {}, []);
  if (typeof value === "boolean") return pick<unknown>(!value, null, "true", 1);
  if (typeof value === "number") return pick<unknown>(value + 1, value - 1, -value - 1, value + 0.5, 2 ** 40, null, String(value));
  if (typeof value === "string") {
    const at = Math.floor(random() * Math.max(1, value.length));
    const other = value[at] === "7" ? "8" : "7";
    return pick<unknown>(
      `${value} `,
      value.slice(0, at) + other + value.slice(at + 1),
      value.slice(1),
      "",
      value.toUpperCase() + other,
      null,
      `not ${value}`,
    );
  }
  if (Array.isArray(value)) {
    const at = Math.floor(random() * Math.max(1, value.length));
    return pick<unknown>(
      value.slice(1),
      value.slice(0, -1),
      [...value, value[at] ?? "x"],
      [...value].reverse(),
      [],
      null,
      value.filter((_, i) => i !== at),
    );
  }
  const entries = Object.entries(value as object);
  const at = Math.floor(random() * Math.max(1, entries.length));
  return pick<unknown>(Object.fromEntries(entries.filter((_, i) => i !== at)), { ...(value as object), extra: 1 }, null, {}, []);
}

/** A statement without a canonical form cannot be signed. */
function forgeIfPossible(proof: Proof, own: string): Proof {
  return typeof proof.statement === "object" && proof.statement !== null ? forge(proof, own) : proof;
}

function isShown({ drafts, answer }: Proof["statement"], draft: number): boolean {
  return answer.sentences.some(({ text }) => text === drafts[draft]?.text);
}
