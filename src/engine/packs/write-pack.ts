import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { messageOf, RequestError } from "../../errors.ts";
import type { ProposedPack } from "./propose-pack.ts";

const HEAD = `# Proposed from the documents: read it, correct it, take out what is wrong. Every key is explained in docs/configuration.md.
# Still to be said by you: contacts, hotlines, synonyms, precedence, tenants, a golden set.
`;

/** The pack as it is written. */
export function packText(pack: ProposedPack): string {
  return `${HEAD}${stringify(pack, { lineWidth: 0 })}`;
}

/**
 * Writes `domain.yaml` into a folder of its own; a pack that is there is left alone.
 * @returns the file's path
 * @throws RequestError `config_pack_exists`, `pack_unwritable`
 */
export function writePack(domainsDir: string, pack: ProposedPack): string {
  const folder = join(domainsDir, pack.name);
  const path = join(folder, "domain.yaml");
  if (existsSync(path)) {
    const message = `There is a pack "${pack.name}" already (${path}): choose another name, or edit that one. --dry-run shows what would be proposed.`;
    throw new RequestError("config_pack_exists", message, { path });
  }
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path, packText(pack), { flag: "wx" });
  } catch (cause) {
    throw new RequestError(
      "pack_unwritable",
      `${path} could not be written (${messageOf(cause)}): give another folder with --into.`,
      { path },
      { cause },
    );
  }
  return path;
}
