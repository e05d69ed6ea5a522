import type { DocumentOutline } from "../../store/document-records.ts";
import type { DocumentStore } from "../../store/documents.ts";
import type { Scope } from "../../types.ts";
import { EXAMPLES, exampleQuestions } from "./example-questions.ts";
import { topicsOf } from "./example-topics.ts";

/** Questions to try of documents whose pack names none. */
export type FindExamples = (scope: Scope) => Promise<string[]>;

/** Documents whose headings are looked at. */
const LOOKED_AT = 200;
/** Documents whose topics are kept: a text is read once for each version. */
const KEPT = 100;

/** Where headings give too few, sentences of the first documents without any are looked at. */
export function createExampleFinder(documents: Pick<DocumentStore, "outlines" | "load">): FindExamples {
  const known = new Map<string, readonly string[]>();
  const keyOf = ({ id, version }: Pick<DocumentOutline, "id" | "version">) => `${id} ${version}`;
  const learn = async (scope: Scope, outlines: readonly DocumentOutline[]) => {
    const unknown = outlines.filter((one) => !known.has(keyOf(one))).map(({ id }) => id);
    if (unknown.length === 0) return;
    if (known.size + unknown.length > KEPT) known.clear();
    for (const document of (await documents.load(scope, unknown)).values())
      known.set(keyOf(document), topicsOf(document.text, document.blocks));
  };
  return async (scope) => {
    const outlines = await documents.outlines(scope, LOOKED_AT);
    const headed = outlines.filter(({ headings }) => headings.length > 0);
    if (exampleQuestions(headed).length >= EXAMPLES || headed.length === outlines.length) return exampleQuestions(outlines);
    const bare = outlines.filter(({ headings }) => headings.length === 0).slice(0, EXAMPLES);
    await learn(scope, bare);
    return exampleQuestions(outlines.map((one) => ({ ...one, topics: known.get(keyOf(one)) ?? [] })));
  };
}
