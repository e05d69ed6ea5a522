import { readFileSync, writeFileSync } from "node:fs";
import type { Command } from "commander";
import type { ProofVerdict } from "../../answer/verify-proof.ts";
import { messageOf, RequestError } from "../../errors.ts";
import { type CliContext, EXIT, pathOf } from "../context.ts";
import { harmless } from "../harmless.ts";
import { configOf, withEngine } from "../open.ts";

interface ScopeFlags {
  domain?: string;
  tenant?: string;
  json?: boolean;
}

export function addProveCommand(program: Command, context: CliContext): void {
  const prove = program
    .command("prove")
    .description("answers as proofs that others can check offline, and the check itself")
    .addHelpText(
      "after",
      `
A proof holds the question, what the writer was given, every sentence as it was written, its quotes with their places, the checks with their
thresholds, and the corpus root, signed with the key of this installation. docs/proofs.md says what it proves and what it does not.

Examples:
  sourcebound prove key > key.pem
  sourcebound prove export 7c9e6679-7425-40de-944b-e07fc1f90ae7 --out proof.json
  sourcebound prove verify proof.json --documents ./my-documents --key key.pem`,
    );
  addExport(prove, context);
  addVerify(prove, context);
  addKeyAndRoot(prove, context);
}

function addExport(prove: Command, context: CliContext): void {
  prove
    .command("export")
    .description("one stored answer as a proof")
    .argument("<id>", "id of the answer, as `ask --json` gives it")
    .option("--domain <name>", "body of knowledge")
    .option("--tenant <name>", "party inside the domain that asked")
    .option("--out <file>", "write it there; without, it is printed")
    .addHelpText(
      "after",
      `
Examples:
  sourcebound prove export 7c9e6679-7425-40de-944b-e07fc1f90ae7 --out proof.json
  sourcebound prove export "$(sourcebound ask --json "What does a lost card cost?" | jq -r .id)" > proof.json`,
    )
    .action(async (id: string, { out, ...flags }: ScopeFlags & { out?: string }, command: Command) => {
      await withEngine(context, configOf(context, command), async (engine) => {
        const proof = await engine.prove(id, flags);
        if (out === undefined) context.terminal.print(JSON.stringify(proof, null, 2));
        else writeProof(pathOf(context, out), proof);
      });
    });
}

function addVerify(prove: Command, context: CliContext): void {
  const { terminal } = context;
  prove
    .command("verify")
    .description("runs every check of a proof again over the original files; needs no store, no network, no model")
    .argument("<file>", "the proof")
    .requiredOption("--documents <folder>", "folder of the documents; only files that the proof names are read")
    .option("--key <file>", "public key of the installation (PEM), as it was published: without it nobody says who made the proof")
    .option("--root <hash>", "corpus root as it was published elsewhere")
    .option("--no-reader", "score no wording again: sentences that are no exact quotes rest on the signature")
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      `
Exit code: 0 verified, 4 sound but nobody's (no --key), or made by other checks than these and not run again, 5 rejected, 1 failed, 2 wrong usage.

Examples:
  sourcebound prove verify proof.json --documents ./my-documents --key key.pem
  sourcebound prove verify proof.json --documents ./my-documents --key key.pem --json | jq .status`,
    )
    .action(async (file: string, flags: { documents: string; key?: string; root?: string; reader: boolean; json?: boolean }) => {
      const { verifyProof } = await import("../../answer/verify-proof.ts");
      const { root, reader, json } = flags;
      const key = flags.key === undefined ? undefined : readText(pathOf(context, flags.key), "key");
      const verdict = await verifyProof(readText(pathOf(context, file), "proof"), pathOf(context, flags.documents), { key, root, reader });
      terminal.print(json ? JSON.stringify(verdict, null, 2) : renderVerdict(verdict, terminal.colors));
      context.exitCode = { verified: EXIT.done, sound: EXIT.partly, unchecked: EXIT.partly, rejected: EXIT.found }[verdict.status];
    });
}

function addKeyAndRoot(prove: Command, context: CliContext): void {
  prove
    .command("key")
    .description("the public key of this installation, to be published; the private one stays in the data folder")
    .addHelpText("after", "\nExamples:\n  sourcebound prove key > key.pem")
    .action(async (_flags: unknown, command: Command) => {
      await withEngine(context, configOf(context, command), async (engine) => context.terminal.print(engine.proofKey().trimEnd()));
    });
  prove
    .command("root")
    .description("the Merkle root over the document versions of a domain, to be published")
    .option("--domain <name>", "body of knowledge")
    .option("--json", "as JSON")
    .addHelpText("after", "\nExamples:\n  sourcebound prove root\n  sourcebound prove root --domain retail --json")
    .action(async ({ domain, json }: ScopeFlags, command: Command) => {
      await withEngine(context, configOf(context, command), async (engine) => {
        const one = await engine.corpusRoot(domain);
        const line = `${one.root}  ${one.domain}, revision ${one.revision}, ${one.documents} documents`;
        context.terminal.print(json ? JSON.stringify(one, null, 2) : line);
      });
    });
}

function renderVerdict({ status, question, steps }: ProofVerdict, colors: CliContext["terminal"]["colors"]): string {
  const mark = (ok: boolean | null) => (ok === null ? "–" : ok ? colors.green("✓") : colors.red("✗"));
  const words = {
    verified: "Verified: everything holds, and the holder of the key made it.",
    sound: "Sound, but nobody's: everything holds that can be run again, and nothing says who made it. Give the published key with --key.",
    unchecked:
      "Not checked: nothing speaks against it, and another version of the checks made it, so its sentences could not be checked again. Verify it with that version.",
    rejected: "Rejected: something does not hold.",
  };
  return [
    ...(question === null ? [] : [harmless(question)]),
    ...steps.map(({ name, ok, reason }) => `${mark(ok)} ${name}: ${harmless(reason)}`),
    words[status],
  ].join("\n");
}

function readText(path: string, what: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new RequestError("config_invalid", `${path} cannot be read (${messageOf(cause)}): give the file of the ${what}.`, {}, { cause });
  }
}

/** @throws RequestError `report_unwritable` */
export function writeProof(path: string, proof: object): void {
  try {
    writeFileSync(path, `${JSON.stringify(proof, null, 2)}\n`);
  } catch (cause) {
    const message = `${path} could not be written (${messageOf(cause)}): give a file in a folder that is there.`;
    throw new RequestError("report_unwritable", message, {}, { cause });
  }
}
