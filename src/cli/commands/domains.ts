import { realpathSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { type DomainPack, listDomains } from "../../engine/domain.ts";
import { calibrationFolder } from "../../engine/gate-thresholds.ts";
import type { FindingLevel, PackReport } from "../../engine/packs/check-pack.ts";
import { profileNamed, profiles } from "../../profiles/index.ts";
import { RequestError } from "../../shared/errors.ts";
import { isOpenToOthers } from "../../store/private.ts";
import { define, JSON_OUT, printResult, renderRecord } from "../command.ts";
import { configOf, EXIT, pathOf, withEngine } from "../context.ts";
import { harmless, harmlessLine, type Terminal } from "../terminal.ts";
import { PORT, serveDomain } from "./serve.ts";

const NAME = /^[a-z0-9][a-z0-9_-]*$/;
/** Folder in which new packs are created, relative to the working directory. */
const DEFAULT_FOLDER = "domains";
/** Maximum number of printed items per finding. With `--json`, all are printed. */
const SHOWN_ITEMS = 5;

export const addNewDomainCommand = define("new-domain", {
  description: "propose a domain pack for a folder of documents (title, topics, terms), ingest the documents and start the web app",
  argument: ["<name>", "name of the domain: lower-case letters, digits, - and _"],
  second: ["<folder>", "folder of documents; they are not moved"],
  options: [
    ["--into <folder>", "folder of domain packs (default: domains_dir of the configuration, or ./domains)"],
    ["--title <text>", "title of the domain, shown to users"],
    ["--dry-run", "show the pack without writing it"],
    ["--no-serve", "write the pack only"],
    PORT,
    ["--json", "write the pack only, and print the proposal as JSON"],
  ],
  help: `
Examples:
  sourcebound new-domain handbook ./handbook
  sourcebound new-domain handbook ./handbook --into ./packs --title "Staff handbook" --json`,
  async run({ flags: { into, title, dryRun, serve, port, json }, given: name, second, command, context, terminal, signal }) {
    if (!NAME.test(name))
      throw new RequestError(
        "config_invalid",
        `"${name}" is not a valid domain name. Use lower-case letters, digits, - and _, beginning with a letter or digit.`,
      );
    const config = configOf(context, command);
    const domainsDir = pathOf(context, into) ?? config.domains_dir ?? resolve(context.process.cwd(), DEFAULT_FOLDER);
    const folder = pathOf(context, second);
    const { readFolder } = await import("../../engine/packs/check-pack.ts");
    const { packText, proposePack, writePack } = await import("../../engine/packs/propose-pack.ts");
    const onFile = (done: number, total: number, path: string) => terminal.progress(`${done}/${total} files: ${path}`);
    const { documents, failed, skipped } = await readFolder(folder, { root: folder, maxFileBytes: config.file_bytes, signal, onFile });
    if (documents.length === 0)
      throw new RequestError(
        "config_invalid",
        `The folder ${folder} contains no readable document, so no pack can be proposed. Give a folder of documents in a supported format.`,
      );
    const path = relative(join(domainsDir, name), realpathSync(folder)).split(sep).join("/");
    const pack = proposePack(name, documents, path === "" ? "." : path, title);
    const { similarWords } = await import("../../engine/packs/similar-words.ts");
    const { sharedEncoder } = await import("../../models/embedded-encoder.ts");
    const similar = similarWords(documents, sharedEncoder());
    const written = dryRun ? null : writePack(domainsDir, pack, similar);
    for (const one of failed) terminal.error(harmlessLine(`failed ${one.path}: ${one.reason}`));
    if (json)
      return terminal.print(
        JSON.stringify({ pack, similar_words: similar, written, documents: documents.length, failed, skipped }, null, 2),
      );
    if (written === null) return terminal.print(harmless(packText(pack, similar).trimEnd()));
    terminal.print(
      `Wrote ${written}: ${pack.topics.length} topics, ${Object.keys(pack.abbreviations).length} abbreviations and ${similar.length} pairs of similar words, found in ${documents.length} documents.`,
    );
    const setting = config.domains_dir === domainsDir ? "" : `SOURCEBOUND_DOMAINS_DIR=${domainsDir} `;
    terminal.print(`\nReview and correct it, then run:\n  ${setting}${terminal.command} doctor ${name}`);
    if (serve) await serveDomain(name, configOf(context, command, { domain: name, domains_dir: domainsDir, "server.port": port }), context);
    else terminal.print(`  ${setting}${terminal.command} ingest ${folder} --domain ${name}`);
  },
});

export const addDoctorCommand = define("doctor", {
  description:
    "check domain packs (schema, documents, tenants' terms, vocabulary, addresses, golden set, calibration) and the permissions of the data folder",
  argument: ["[domain]", "one pack (default: all packs)"],
  options: [
    ["--documents <folder>", "check the vocabulary against these documents instead of the pack's own"],
    ["--strict", "exit with code 5 on warnings too, not only on faults"],
    ["--json", "print JSON with all items of each finding"],
  ],
  help: `
Exit code: 0 no faults, 5 faults were found, 2 usage error.

Examples:
  sourcebound doctor
  sourcebound doctor book --documents ./moby-dick --json`,
  async run({ flags: { documents, strict = false, json }, given: domain, command, context, terminal, signal }) {
    const config = configOf(context, command);
    const { domains_dir: domainsDir, file_bytes: maxFileBytes, data_dir: data } = config;
    if (documents !== undefined && domain === undefined)
      throw new RequestError("config_invalid", "--documents applies to one pack. Name it: `sourcebound doctor book --documents FOLDER`.");
    const { checkPack } = await import("../../engine/packs/check-pack.ts");
    const { createCalibrationFinder } = await import("../../evidence/calibration.ts");
    const findCalibration = createCalibrationFinder(calibrationFolder(data), () => performance.now());
    const madeHere = async ({ name, default_profile: profile }: DomainPack) =>
      findCalibration(name, profile, null) === null ? null : withEngine(context, config, (engine) => engine.gateThreshold(name));
    const reports: PackReport[] = [];
    for (const name of domain === undefined ? listDomains(domainsDir) : [domain]) {
      terminal.progress(`${name} …`);
      reports.push(await checkPack(name, { domainsDir, documents: pathOf(context, documents), maxFileBytes, signal, madeHere }));
    }
    if (reports.length === 0) throw new RequestError("unknown_domain", `No domain pack found in ${domainsDir}.`);
    if (isOpenToOthers(data))
      terminal.error(
        `warning: other users of this machine can read the data folder, which contains all texts unencrypted. Run: chmod -R go= ${data}`,
      );
    const judged = reports.map((one) => ({ ...one, ok: isSound(one, strict) }));
    printResult(terminal, json, judged, () => reports.flatMap((report) => reportLines(report, terminal)).join("\n"));
    if (judged.some(({ ok }) => !ok)) context.exitCode = EXIT.found;
  },
});

function isSound({ findings }: PackReport, strict: boolean): boolean {
  return !findings.some(({ level }) => level === "fault" || (strict && level === "warning"));
}

function reportLines({ name, title, documents, questions, findings }: PackReport, { colors, asTyped }: Terminal): string[] {
  const paint: Record<FindingLevel, (text: string) => string> = { fault: colors.red, warning: colors.yellow, note: colors.dim };
  const count = (level: FindingLevel) => findings.filter((one) => one.level === level).length;
  return [
    `${colors.bold(name)}${title === null ? "" : `  ${harmlessLine(title)}: ${documents} documents, ${questions} questions`}`,
    ...findings.flatMap(({ level, check, message, items }) => [
      `  ${paint[level](level.padEnd(7))} ${check}: ${harmlessLine(asTyped(message))}`,
      ...items.slice(0, SHOWN_ITEMS).map((item) => `            ${harmlessLine(item)}`),
      ...(items.length > SHOWN_ITEMS ? [colors.dim(`            … ${items.length - SHOWN_ITEMS} more (--json)`)] : []),
    ]),
    `  faults: ${count("fault")}, warnings: ${count("warning")}, notes: ${count("note")}`,
  ];
}

export const addProfilesCommand = define("profiles", {
  description: "list the profiles: what each one needs, and which rules of its published design it does not implement",
  argument: ["[name]", "show one profile, with every rule of its design and how far it is implemented"],
  options: [JSON_OUT],
  help: "\nExamples:\n  sourcebound profiles\n  sourcebound profiles seven-layer",
  run({ flags: { json }, given: name, context }) {
    const shown = name === undefined ? profiles : [profileNamed(name)];
    const described = shown.map(({ name: of, title, needs, rules }) => ({
      ...{ name: of, title, needs: needs.map((need) => NEEDS[need]) },
      not_built: rules.filter(({ state }) => state === "not built").map(({ rule }) => rule),
      ...(name === undefined ? {} : { rules }),
    }));
    printResult(context.terminal, json, shown, () => renderRecord(described));
  },
});

const NEEDS = {
  encoder:
    "a dense encoder (the embedded one, SOURCEBOUND_EMBEDDINGS_HUB, or SOURCEBOUND_EMBEDDINGS_BASE_URL and SOURCEBOUND_EMBEDDINGS_MODEL)",
  model: "a model (SOURCEBOUND_MODEL_BASE_URL and SOURCEBOUND_MODEL_SMALL)",
} as const;
