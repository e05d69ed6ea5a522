import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { z } from "zod";
import type { CliContext } from "../../src/cli/context.ts";
import { readLinesOf } from "../../src/grading/golden.ts";
import { createRandom } from "../../src/grading/metrics.ts";
import { RequestError } from "../../src/shared/errors.ts";
import {
  chooseCollections,
  collectionNames,
  PARTS,
  partOf,
  readCollection,
  readings,
  SPLIT,
  storeCollection,
  unpackCollections,
  writtenRow,
} from "../sets/collections.ts";
import { splitCollections } from "../sets/collections-split.ts";

const DEFAULT_SEED = "1";

const sourcesSchema = z.array(
  z.object({ name: z.string(), repository: z.array(z.string()), commit: z.array(z.string()), licence: z.string() }),
);

export function addCollectionsCommand(program: Command, { terminal }: CliContext): void {
  const command = program
    .command("collections")
    .description("questions and written answers over real public documents: store, check, count, unpack")
    .addHelpText("after", EXAMPLES);
  const pages = "folder with NAME/pages/ and sources.json";

  command
    .command("split")
    .description("divide the collections into train, validation and test")
    .requiredOption("--pages <folder>", pages)
    .option("--seed <n>", "of the division", DEFAULT_SEED)
    .action((flags: { pages: string; seed: string }) => {
      const names = sourcesOf(flags.pages).map(({ name }) => name);
      const seed = Number(flags.seed);
      writeFileSync(SPLIT, `${JSON.stringify({ seed, ...splitCollections(names, flags.pages, seed) }, null, 2)}\n`);
      terminal.print(`wrote ${SPLIT}`);
    });

  command
    .command("store")
    .description("store what was written of a collection: FOLDER/NAME.jsonl with NAME.readings.json")
    .argument("<folder>", "folder of written rows, with verbatim quotes")
    .argument("<names...>", "collections")
    .requiredOption("--pages <folder>", pages)
    .action((folder: string, names: string[], flags: { pages: string }) => {
      const sources = sourcesOf(flags.pages);
      for (const name of names) {
        const source = sources.find((one) => one.name === name);
        if (source === undefined) throw new RequestError("config_invalid", `sources.json does not name the collection ${name}.`);
        const { repository, commit, licence } = source;
        const read = readings.parse(JSON.parse(readFileSync(join(folder, `${name}.readings.json`), "utf8")));
        const rows = readLinesOf(join(folder, `${name}.jsonl`), writtenRow, "data_invalid");
        storeCollection({ type: "collection", name, part: partOf(name), repository, commit, licence, readings: read }, rows, flags.pages);
        terminal.print(`${name}: ${rows.length} rows`);
      }
    });

  command
    .command("check")
    .description("check pages, offsets and hashes of every stored collection, and print counts")
    .requiredOption("--pages <folder>", pages)
    .option("--json", "print the counts as JSON")
    .action((flags: { pages: string; json?: true }) => {
      const counted = collectionNames().map((name) => {
        const { part, rows, readings: read } = readCollection(name, flags.pages);
        const counts: Record<string, number> = {};
        for (const row of rows) {
          const kind = row.type === "draft" ? `draft ${row.fault}` : row.type === "sibling" ? "sibling" : row.kind;
          counts[kind] = (counts[kind] ?? 0) + 1;
        }
        return { name, part, rows: rows.length, counts, readings: read };
      });
      if (flags.json) return terminal.print(JSON.stringify(counted));
      for (const { name, part, rows, counts } of counted) {
        terminal.print(
          `${part.padEnd(10)} ${name.padEnd(34)} ${String(rows).padStart(4)}  ${Object.entries(counts)
            .map(([kind, n]) => `${kind} ${n}`)
            .join(", ")}`,
        );
      }
    });

  command
    .command("draw")
    .description("print rows drawn at random, as JSON lines, to be read once more")
    .requiredOption("--pages <folder>", pages)
    .option("--rows <n>", "drawn", "100")
    .option("--seed <n>", "of the draw", DEFAULT_SEED)
    .action((flags: { pages: string; rows: string; seed: string }) => {
      const random = createRandom(Number(flags.seed));
      const all = collectionNames().flatMap((name) => readCollection(name, flags.pages).rows);
      const drawn = all
        .map((row) => ({ row, at: random() }))
        .sort((a, b) => a.at - b.at)
        .slice(0, Number(flags.rows));
      for (const { row } of drawn) terminal.print(JSON.stringify(row));
    });

  command
    .command("unpack")
    .description("write collections as golden sets for `eval golden --data OUT` and for the training recipes")
    .argument("<out>", "folder to write to")
    .requiredOption("--pages <folder>", pages)
    .option("--part <part>", PARTS.join(", "))
    .action((out: string, flags: { pages: string; part?: string }) => {
      const names = chooseCollections(flags.part);
      unpackCollections(names, flags.pages, out);
      terminal.print(`wrote ${names.length} collections to ${join(out, "golden")}`);
    });
}

const EXAMPLES = `
Examples:
  ./run lab collections check --pages data/collections
  ./run lab collections unpack out --part validation --pages data/collections`;

function sourcesOf(pages: string): z.infer<typeof sourcesSchema> {
  const path = join(pages, "sources.json");
  if (!existsSync(path))
    throw new RequestError("corpus_missing", `There is no file ${path}: give the folder of the collections with --pages.`);
  return sourcesSchema.parse(JSON.parse(readFileSync(path, "utf8")));
}
