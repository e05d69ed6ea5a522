import { writeText } from "../../grading/report.ts";
import type { CitationStanding } from "../../memory/citation-states.ts";
import type { ProofVerdict } from "../../proofs/verify-proof.ts";
import { labelOriginal } from "../../text/original-place.ts";
import { toSnakeCase } from "../../text/validate.ts";
import { citationStatesToWire } from "../../wire/exploring.ts";
import { DOMAIN, define, JSON_OUT, printResult } from "../command.ts";
import { type CliContext, EXIT, pathOf, readText } from "../context.ts";
import { harmless, harmlessLine } from "../terminal.ts";

const ASKED_AS = ["--tenant <name>", "tenant that asked the question"] as const;

export const addProveCommand = define("prove", {
  description: "export answers as proofs that others can verify offline, and verify them",
  help: `
A proof contains the question, the writer's input, every sentence as it was written, its quotes with their places, the checks with their
thresholds, and the corpus root, signed with the key of this installation. docs/verify.md explains what it proves and what it does not.

Examples:
  sourcebound prove key > key.pem
  sourcebound prove export 7c9e6679-7425-40de-944b-e07fc1f90ae7 --out proof.json
  sourcebound prove verify proof.json --documents ./my-documents --key key.pem`,
  commands: [
    define("export", {
      description: "export a stored answer as a proof",
      argument: ["<id>", "id of the answer, from `ask --json`"],
      options: [DOMAIN, ASKED_AS, ["--out <file>", "write the proof to this file instead of standard output"]],
      async use(engine, { flags: { out, ...scope }, given, context, terminal }) {
        const proof = await engine.prove(given, scope);
        if (out === undefined) terminal.print(JSON.stringify(proof, null, 2));
        else writeProof(context, out, proof);
      },
    }),
    define("verify", {
      description: "run every check of a proof again on the original files; needs no database, no network and no language model",
      argument: ["<file>", "proof to verify"],
      options: [
        ["--documents <folder>", "folder of the documents; only files named in the proof are read", { required: true }],
        ["--key <file>", "published public key of the installation (PEM); without it, the origin of the proof is not verified"],
        ["--root <hash>", "published corpus root (from `prove root`) that the proof must match"],
        ["--no-reader", "do not score sentences again; the signature alone then backs those that are no exact quotes", { default: true }],
        JSON_OUT,
      ],
      help: `
Exit code: 0 verified, 4 valid but not fully verified (no --key, or made by another version of the checks), 5 rejected, 1 failed, 2 usage error.`,
      async run({ flags: { documents, key: keyFile, root, reader, json }, given, context, terminal }) {
        const { verifyProof } = await import("../../proofs/verify-proof.ts");
        const read = (file: string, what: string) => readText(context, file, "config_invalid", what);
        const key = keyFile === undefined ? undefined : await read(keyFile, "key");
        const verdict = await verifyProof(await read(given, "proof"), pathOf(context, documents), { key, root, reader });
        printResult(terminal, json, verdict, () => renderVerdict(verdict, terminal.colors));
        context.exitCode = { verified: EXIT.done, sound: EXIT.partly, unchecked: EXIT.partly, rejected: EXIT.found }[verdict.status];
      },
    }),
    define("key", {
      description: "print the public key of this installation, for publication; the private key stays in the data folder",
      use: (engine, { terminal }) => terminal.print(engine.proofKey().trimEnd()),
    }),
    define("root", {
      description: "print the Merkle root of a domain's document versions, for publication",
      options: [DOMAIN, JSON_OUT],
      async use(engine, { flags: { domain, json }, terminal }) {
        const one = await engine.corpusRoot(domain);
        printResult(terminal, json, one, () => `${one.root}  ${one.domain}, revision ${one.revision}, ${one.documents} documents`);
      },
    }),
  ],
});

export function writeProof(context: CliContext, file: string, proof: object): void {
  writeText(pathOf(context, file), `${JSON.stringify(proof, null, 2)}\n`);
}

function renderVerdict({ status, question, steps }: ProofVerdict, colors: CliContext["terminal"]["colors"]): string {
  const mark = (ok: boolean | null) => (ok === null ? "–" : ok ? colors.green("✓") : colors.red("✗"));
  const words = {
    verified: "Verified: every check passed, and the proof was signed with the given key.",
    sound:
      "Valid, but of unknown origin: every check that can be repeated passed, but no key was given. Pass the published key with --key.",
    unchecked:
      "Not verified: no check failed, but another version made the proof, so its sentences could not be checked again. Verify it with that version.",
    rejected: "Rejected: a check failed.",
  };
  return [
    ...(question === null ? [] : [harmless(question)]),
    ...steps.map(({ name, ok, reason }) => `${mark(ok)} ${name}: ${harmless(reason)}`),
    words[status],
  ].join("\n");
}

export const addCitationsCommand = define("citations", {
  description: "compare a stored answer's quotes with the current documents: same, moved, changed or gone",
  argument: ["<id>", "id of the answer, from `ask --json`"],
  options: [JSON_OUT],
  help: `
Exit code: 0 all quotes unchanged or moved, 5 at least one changed or gone, 1 failed, 2 usage error.

Examples:
  sourcebound citations 7c9e6679-7425-40de-944b-e07fc1f90ae7
  sourcebound citations 7c9e6679-7425-40de-944b-e07fc1f90ae7 --json | jq '.citations[] | select(.state != "same")'`,
  async use(engine, { flags: { json }, given, context }) {
    const { answer, domain, tenant, access } = await engine.memory.review.show(given);
    const states = answer === null ? [] : await engine.citationStates(answer, { domain, tenant, access });
    const lines = states.length === 0 ? ["This answer contains no citations."] : states.map(describeState);
    printResult(context.terminal, json, citationStatesToWire(given, states), () => lines.join("\n"));
    if (states.some(({ state }) => state === "changed" || state === "gone")) context.exitCode = EXIT.found;
  },
});

function describeState({ n, state, now }: CitationStanding): string {
  if (now === null) return `[${n}] ${state}`;
  const place = `${now.original.path}, ${labelOriginal(now.original)}`;
  return harmlessLine(`[${n}] ${state}: ${place}${state === "changed" ? `: "${now.quote}"` : ""}`);
}

export const addReplayCommand = define("replay", {
  description: "reproduce a stored answer byte for byte from its recorded documents, settings and model output",
  argument: ["<id>", "id of the answer, from `ask --json`"],
  options: [
    ["--now", "also ask the question with the current documents and settings, and show what changes in the answer and why"],
    DOMAIN,
    ASKED_AS,
    JSON_OUT,
  ],
  help: `
Exit code: 0 identical (with --now: also unchanged today), 5 different, 1 failed, 2 usage error.

Examples:
  sourcebound replay 7c9e6679-7425-40de-944b-e07fc1f90ae7
  sourcebound replay --now 7c9e6679-7425-40de-944b-e07fc1f90ae7 --json | jq .causes`,
  async use(engine, { flags: { now, json, ...scope }, given, context, terminal, signal }) {
    const options = { ...scope, signal };
    const replayed = now ? await engine.replayNow(given, options) : await engine.replay(given, options);
    printResult(terminal, json, toSnakeCase(replayed));
    const isSame = replayed.identical && !("changed" in replayed && replayed.changed);
    context.exitCode = isSame ? EXIT.done : EXIT.found;
  },
});
