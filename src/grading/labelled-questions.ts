import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { RequestError } from "../shared/errors.ts";
import { sha256Hex } from "../text/hash.ts";
import { answerableSchema, readLinesOf, UNANSWERABLE_KINDS, unanswerableSchema } from "./golden.ts";

/** Asking tenant; absent: none. */
const asker = { tenant: z.string().min(1).optional() };
const answerable = answerableSchema
  .pick({ id: true, question: true, gold_pages: true, gold_quotes: true, key_values: true })
  .extend({ ...asker, gold_pages: z.array(z.string()).min(1) });
const unanswerable = unanswerableSchema.pick({ id: true, question: true, kind: true }).extend(asker);

/** A question labelled with the place of its answer, or with the kind of unanswerable question. */
export type LabelledQuestion = ({ readonly kind: "answerable" } & z.infer<typeof answerable>) | z.infer<typeof unanswerable>;

const labelledSchema = z.unknown().transform((row, context): LabelledQuestion => {
  const isRow = typeof row === "object" && row !== null;
  const parsed =
    isRow && "gold_pages" in row
      ? answerable.transform((one) => ({ ...one, kind: "answerable" as const })).safeParse(row)
      : unanswerable.safeParse(row);
  if (parsed.success) return parsed.data;
  const hint =
    isRow && ("gold_pages" in row || "kind" in row)
      ? ""
      : `a question needs gold_pages, or, if unanswerable, a kind (${UNANSWERABLE_KINDS.join(", ")}); `;
  context.addIssue({
    code: "custom",
    message: `${hint}${parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; ")}`,
  });
  return z.NEVER;
});

export interface LabelledQuestions {
  readonly questions: readonly LabelledQuestion[];
  /** Number of omitted duplicates. */
  readonly repeated: number;
  /** SHA-256 of the questions and labels. */
  readonly sha256: string;
}

/**
 * Parses labelled questions of one JSON Lines file, or of all files with `answerable` in their names in a folder.
 * @throws RequestError `golden_missing` when there is none, `golden_invalid` naming file and line, or a question labelled both ways
 */
export function readLabelledQuestions(path: string): LabelledQuestions {
  const questions = new Map<string, LabelledQuestion>();
  let repeated = 0;
  for (const one of filesOf(path).flatMap((file) => readLinesOf(file, labelledSchema, "golden_invalid"))) {
    const key = JSON.stringify([one.question.normalize("NFKC").toLowerCase().replaceAll(/\s+/g, " ").trim(), one.tenant ?? null]);
    const before = questions.get(key);
    if (before === undefined && [...questions.values()].some(({ id }) => id === one.id))
      throw new RequestError("golden_invalid", `${path} has two questions with the id ${one.id}. Give each question its own id.`);
    if (before === undefined) questions.set(key, one);
    else if ((before.kind === "answerable") !== (one.kind === "answerable"))
      throw new RequestError(
        "golden_invalid",
        `${path} labels the same question as answerable and as unanswerable: ${before.id} and ${one.id}. Correct one of them.`,
      );
    else repeated++;
  }
  const list = [...questions.values()];
  return { questions: list, repeated, sha256: sha256Hex(JSON.stringify(list)) };
}

function filesOf(path: string): string[] {
  const missing = (what: string) =>
    new RequestError(
      "golden_missing",
      `${path} ${what}. Give a file of labelled questions, or a folder of files *answerable*.jsonl, with --golden.`,
    );
  if (!existsSync(path)) throw missing("does not exist");
  if (statSync(path).isFile()) return [path];
  const names = readdirSync(path).filter((name) => name.includes("answerable") && name.endsWith(".jsonl"));
  if (names.length === 0) throw missing("contains no file *answerable*.jsonl");
  return names.sort().map((name) => join(path, name));
}
