import { realpathSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import type { Command } from "commander";
import { RequestError } from "../../errors.ts";
import { type CliContext, pathOf } from "../context.ts";
import { harmless, harmlessLine } from "../harmless.ts";
import { configOf } from "../open.ts";

interface NewDomainFlags {
  from: string;
  into?: string;
  title?: string;
  dryRun?: boolean;
  json?: boolean;
}

const NAME = /^[a-z0-9][a-z0-9_-]*$/;
/** Where packs go when neither option nor configuration names a folder, in the working directory. */
const DEFAULT_FOLDER = "domains";

export function addNewDomainCommand(program: Command, context: CliContext): void {
  const { terminal, signal } = context;
  program
    .command("new-domain")
    .description("propose a domain pack from a folder of documents: title, topics, terms and questions that stand in them")
    .argument("<name>", "name of the domain: lower-case letters, digits, - and _")
    .requiredOption("--from <folder>", "folder of documents; they stay where they are")
    .option("--into <folder>", "folder of domain packs (default: domains_dir of the configuration, else ./domains)")
    .option("--title <text>", "name that readers see")
    .option("--dry-run", "show the pack and write nothing")
    .option("--json", "the proposal as JSON on stdout")
    .addHelpText(
      "after",
      `
Examples:
  sourcebound new-domain handbook --from ./handbook
  sourcebound new-domain handbook --from ./handbook --dry-run
  sourcebound new-domain handbook --from ./handbook --into ./packs --title "Staff handbook" --json`,
    )
    .action(async (name: string, { from, into, title, dryRun = false, json = false }: NewDomainFlags, command: Command) => {
      if (!NAME.test(name))
        throw new RequestError(
          "config_invalid",
          `"${name}" is no name of a domain: use lower-case letters, digits, - and _, beginning with a letter or digit.`,
        );
      const config = configOf(context, command);
      const domainsDir = pathOf(context, into) ?? config.domains_dir ?? resolve(context.process.cwd(), DEFAULT_FOLDER);
      const folder = pathOf(context, from);
      const { readFolder } = await import("../../engine/packs/read-documents.ts");
      const { proposePack } = await import("../../engine/packs/propose-pack.ts");
      const { packText, writePack } = await import("../../engine/packs/propose-pack.ts");
      const onFile = (done: number, total: number, path: string) => terminal.progress(`${done}/${total} files: ${path}`);
      const { documents, failed, skipped } = await readFolder(folder, { root: folder, maxFileBytes: config.file_bytes, signal, onFile });
      if (documents.length === 0)
        throw new RequestError("config_invalid", `${folder} holds no document that can be read: there is nothing to propose from.`);
      const path = relative(join(domainsDir, name), realpathSync(folder)).split(sep).join("/");
      const pack = proposePack(name, documents, { title, path: path === "" ? "." : path });
      const written = dryRun ? null : writePack(domainsDir, pack);
      for (const one of failed) terminal.error(harmlessLine(`failed ${one.path}: ${one.reason}`));
      if (json) return terminal.print(JSON.stringify({ pack, written, documents: documents.length, failed, skipped }, null, 2));
      if (written === null) return terminal.print(harmless(packText(pack).trimEnd()));
      const { topics, entities, abbreviations, examples } = pack;
      terminal.print(
        `${written}: ${topics.length} topics, ${entities.length} kinds of entities, ${Object.keys(abbreviations).length} abbreviations, ${examples.length} questions, from ${documents.length} documents.`,
      );
      const setting = config.domains_dir === domainsDir ? "" : `SOURCEBOUND_DOMAINS_DIR=${domainsDir} `;
      terminal.print(`\nRead it, correct it, then:\n  ${setting}${terminal.command} doctor ${name}`);
      terminal.print(`  ${setting}${terminal.command} ingest ${folder} --domain ${name}`);
    });
}
