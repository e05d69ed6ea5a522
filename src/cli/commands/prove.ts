import type { Command } from "commander";
import { writeText } from "../../grading/report.ts";
import type { CitationStanding } from "../../memory/citation-states.ts";
import type { ProofVerdict } from "../../proofs/verify-proof.ts";
import { originalInWords } from "../../text/original-place.ts";
import { toSnakeCase } from "../../text/validate.ts";
import { citationStatesToWire } from "../../wire/exploring.ts";
import { DOMAIN, define, JSON_OUT, printResult } from "../command.ts";
import { type CliContext, EXIT, pathOf, readText } from "../context.ts";
import { harmless, harmlessLine } from "../terminal.ts";

const ASKED_AS = ["--tenant <name>", "party inside the domain that asked"] as const;

export function addProveCommand(program: Command, context: CliContext): void {
  const { terminal } = context;
  const prove = define(program, context, "prove", {
    description: "answers as proofs that others can check offline, and the check itself",
    help: `
A proof holds the question, what the writer was given, every sentence as it was written, its quotes with their places, the checks with their
thresholds, and the corpus root, signed with the key of this installation. docs/verify.md says what it proves and what it does not.

Examples:
  sourcebound prove key > key.pem
  sourcebound prove export 7c9e6679-7425-40de-944b-e07fc1f90ae7 --out proof.json
  sourcebound prove verify proof.json --documents ./my-documents --key key.pem`,
  });
  define(prove, context, "export", {
    description: "one stored answer as a proof",
    argument: ["<id>", "id of the answer, as `ask --json` gives it"],
    options: [DOMAIN, ASKED_AS, ["--out <file>", "write it there; without, it is printed"]],
    async use(engine, { flags: { out, ...scope }, given }) {
      const proof = await engine.prove(given, scope);
      if (out === undefined) terminal.print(JSON.stringify(proof, null, 2));
      else writeProof(context, out, proof);
    },
  });
  define(prove, context, "verify", {
    description: "runs every check of a proof again over the original files; needs no store, no network, no model",
    argument: ["<file>", "the proof"],
    options: [
      ["--documents <folder>", "folder of the documents; only files that the proof names are read", { required: true }],
      ["--key <file>", "public key of the installation (PEM), as it was published: without it nobody says who made the proof"],
      ["--root <hash>", "corpus root as it was published elsewhere"],
      ["--no-reader", "score no wording again: sentences that are no exact quotes rest on the signature", { default: true }],
      JSON_OUT,
    ],
    help: `
Exit code: 0 verified, 4 sound but nobody's (no --key), or made by other checks than these and not run again, 5 rejected, 1 failed, 2 wrong usage.`,
    async run({ flags: { documents, key: keyFile, root, reader, json }, given }) {
      const { verifyProof } = await import("../../proofs/verify-proof.ts");
      const read = (file: string, what: string) => readText(context, file, { code: "config_invalid", what });
      const key = keyFile === undefined ? undefined : await read(keyFile, "key");
      const verdict = await verifyProof(await read(given, "proof"), pathOf(context, documents), { key, root, reader });
      printResult(terminal, json, verdict, () => renderVerdict(verdict, terminal.colors));
      context.exitCode = { verified: EXIT.done, sound: EXIT.partly, unchecked: EXIT.partly, rejected: EXIT.found }[verdict.status];
    },
  });
  define(prove, context, "key", {
    description: "the public key of this installation, to be published; the private one stays in the data folder",
    use: (engine) => terminal.print(engine.proofKey().trimEnd()),
  });
  define(prove, context, "root", {
    description: "the Merkle root over the document versions of a domain, to be published",
    options: [DOMAIN, JSON_OUT],
    async use(engine, { flags: { domain, json } }) {
      const one = await engine.corpusRoot(domain);
      printResult(terminal, json, one, () => `${one.root}  ${one.domain}, revision ${one.revision}, ${one.documents} documents`);
    },
  });
}

export function writeProof(context: CliContext, file: string, proof: object): void {
  writeText(pathOf(context, file), `${JSON.stringify(proof, null, 2)}\n`);
}

function renderVerdict({ status, question, steps }: ProofVerdict, colors: CliContext["terminal"]["colors"]): string {
  const mark = (ok: boolean | null) => (ok === null ? "–" : ok ? colors.green("✓") : colors.red("✗"));
  const words = {
    verified: "Verified: everything holds, and the holder of the key made it.",
    sound: "Sound, but nobody's: everything holds that can be run again, and nothing says who made it. Give the published key with --key.",
    unchecked:
      "Not checked: nothing contradicts it, and another version of the checks made it, so its sentences could not be checked again. Verify it with that version.",
    rejected: "Rejected: something does not hold.",
  };
  return [
    ...(question === null ? [] : [harmless(question)]),
    ...steps.map(({ name, ok, reason }) => `${mark(ok)} ${name}: ${harmless(reason)}`),
    words[status],
  ].join("\n");
}

export function addCitationsCommand(program: Command, context: CliContext): void {
  define(program, context, "citations", {
    description: "what became of a stored answer's quotes in today's documents: same, moved, changed or gone",
    argument: ["<id>", "id of the answer, as `ask --json` gives it"],
    options: [JSON_OUT],
    help: `
Exit code: 0 every quote stands, 5 at least one is changed or gone, 1 failed, 2 wrong usage.

Examples:
  sourcebound citations 7c9e6679-7425-40de-944b-e07fc1f90ae7
  sourcebound citations 7c9e6679-7425-40de-944b-e07fc1f90ae7 --json | jq '.citations[] | select(.state != "same")'`,
    async use(engine, { flags: { json }, given }) {
      const { answer, domain, tenant, access } = await engine.memory.review.show(given);
      const states = answer === null ? [] : await engine.citationStates(answer, { domain, tenant, access });
      const lines = states.length === 0 ? ["This answer cites nothing."] : states.map(describeState);
      printResult(context.terminal, json, citationStatesToWire(given, states), () => lines.join("\n"));
      if (states.some(({ state }) => state === "changed" || state === "gone")) context.exitCode = EXIT.found;
    },
  });
}

function describeState({ n, state, now }: CitationStanding): string {
  if (now === null) return `[${n}] ${state}`;
  const place = `${now.original.path}, ${originalInWords(now.original)}`;
  return harmlessLine(`[${n}] ${state}: ${place}${state === "changed" ? `: "${now.quote}"` : ""}`);
}

export function addReplayCommand(program: Command, context: CliContext): void {
  const { terminal, signal } = context;
  define(program, context, "replay", {
    description: "makes a stored answer again, byte for byte, from the documents, settings and model output of then",
    argument: ["<id>", "id of the answer, as `ask --json` gives it"],
    options: [
      ["--now", "also with today's documents and settings: what would change, and which edit or setting does it"],
      DOMAIN,
      ASKED_AS,
      JSON_OUT,
    ],
    help: `
Exit code: 0 identical (and with --now unchanged), 5 something differs, 1 failed, 2 wrong usage.

Examples:
  sourcebound replay 7c9e6679-7425-40de-944b-e07fc1f90ae7
  sourcebound replay --now 7c9e6679-7425-40de-944b-e07fc1f90ae7 --json | jq .causes`,
    async use(engine, { flags: { now, json, ...scope }, given }) {
      const options = { ...scope, signal };
      const replayed = now ? await engine.replayNow(given, options) : await engine.replay(given, options);
      printResult(terminal, json, toSnakeCase(replayed));
      const isSame = replayed.identical && !("changed" in replayed && replayed.changed);
      context.exitCode = isSame ? EXIT.done : EXIT.found;
    },
  });
}
