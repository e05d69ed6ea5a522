import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SourceboundError } from "../../errors.ts";
import { type GoldenSet, readGoldenSet } from "../../grade/golden-set.ts";
import type { DomainPack } from "../domain.ts";
import { type PackFinding, packFinding } from "./finding.ts";
import type { FolderDocument } from "./read-documents.ts";

/** Fewer questions of a tenant tell little. */
const FEW_QUESTIONS = 10;

export interface GoldenCheck {
  readonly questions: number;
  readonly findings: readonly PackFinding[];
}

/**
 * Does every question name a tenant, pages and quotes that are there?
 * @param visibleTo documents by tenant; of nobody under `""`; `null`: the documents are not here, so that nothing can be said of pages and quotes
 */
export function checkGolden(pack: DomainPack, visibleTo: ReadonlyMap<string, readonly FolderDocument[]> | null): GoldenCheck {
  if (pack.golden === null)
    return {
      questions: 0,
      findings: [packFinding("note", "golden", "there is no golden set: answers of this pack are measured by nothing")],
    };
  let set: GoldenSet;
  try {
    set = readGoldenSet({ name: pack.name, corpus: pack.folder, golden: join(pack.folder, pack.golden) });
  } catch (error) {
    if (!(error instanceof SourceboundError)) throw error;
    return { questions: 0, findings: [packFinding("fault", "golden", error.message)] };
  }
  const all = [...set.answerable, ...set.unanswerable];
  const strangers = all
    .filter(({ tenant }) => tenant !== null && pack.tenants[tenant] === undefined)
    .map(({ id, tenant }) => `${id}: ${tenant}`);
  const few = Object.keys(pack.tenants).filter((name) => all.filter(({ tenant }) => tenant === name).length < FEW_QUESTIONS);
  return {
    questions: all.length,
    findings: [
      ...list("fault", "questions are asked by a tenant that the pack does not have", strangers),
      ...list("warning", `tenants have fewer than ${FEW_QUESTIONS} questions`, few),
      ...(visibleTo === null
        ? [packFinding("note", "golden", "pages and quotes were not looked for: the documents are not here")]
        : placeFindings(pack, set, visibleTo)),
    ],
  };
}

function placeFindings(pack: DomainPack, set: GoldenSet, visibleTo: ReadonlyMap<string, readonly FolderDocument[]>): PackFinding[] {
  const texts = new Map<string, string>();
  const textOf = (page: string): string => {
    const path = join(pack.folder, page);
    const text = texts.get(page) ?? (existsSync(path) ? readFileSync(path, "utf8") : "");
    texts.set(page, text);
    return text;
  };
  const pagesOf = (tenant: string | null) => (visibleTo.get(tenant ?? "") ?? []).map(({ path }) => path);
  const lost = set.answerable.flatMap(({ id, tenant, gold_pages }) =>
    gold_pages.filter((page) => !pagesOf(tenant).includes(page)).map((page) => `${id}: ${page}`),
  );
  const unheard = set.answerable.flatMap(({ id, gold_pages, gold_quotes }) =>
    gold_quotes.filter((quote) => !gold_pages.some((page) => textOf(page).includes(quote))).map((quote) => `${id}: ${quote}`),
  );
  const uncontradicted = set.unanswerable.flatMap(({ id, tenant, contradicting_quotes }) =>
    contradicting_quotes.filter((quote) => !pagesOf(tenant).some((page) => textOf(page).includes(quote))).map((quote) => `${id}: ${quote}`),
  );
  return [
    ...list("fault", "gold pages are none that the asker may read", lost),
    ...list("fault", "gold quotes stand on none of their pages as they are written", unheard),
    ...list("fault", "contradicting quotes stand on no page that the asker may read", uncontradicted),
  ];
}

function list(level: PackFinding["level"], what: string, items: readonly string[]): PackFinding[] {
  return items.length === 0 ? [] : [packFinding(level, "golden", `${items.length} ${what}`, items)];
}
