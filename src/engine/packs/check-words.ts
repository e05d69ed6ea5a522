import { createStemmer, words } from "../../text/tokens.ts";
import type { DomainPack } from "../domain.ts";
import { type PackFinding, packFinding } from "./finding.ts";
import type { FolderDocument } from "./read-documents.ts";

/** Does a word or phrase stand in a text, in any form of its words? */
export type Holds = (phrase: string) => boolean;

/** Finds phrases in documents by the stems of their words. */
export function createHolder(documents: readonly FolderDocument[]): Holds {
  const stem = createStemmer();
  const stems = (text: string) =>
    ` ${words(text)
      .map((word) => (word.code ? word.text : stem(word.text)))
      .join(" ")} `;
  const texts = documents.map(({ metadata, text }) => stems(`${metadata.title}\n${text}`));
  return (phrase) => {
    const sought = stems(phrase);
    return sought.trim() !== "" && texts.some((text) => text.includes(sought));
  };
}

/** Words of the pack that stand in no document: they can find nothing there. */
export function checkWords(pack: DomainPack, documents: readonly FolderDocument[]): PackFinding[] {
  const holds = createHolder(documents);
  const topics = pack.topics.flatMap(({ slug, keywords }) => keywords.filter((one) => !holds(one)).map((one) => `${slug}: ${one}`));
  const abbreviations = Object.entries(pack.abbreviations)
    .filter(([short, long]) => !holds(short) && !long.some(holds))
    .map(([short]) => short);
  const groups = pack.synonyms.filter((group) => !group.some(holds)).map((group) => group.join(", "));
  const entities = pack.entities.filter(({ patterns }) => !patterns.some((one) => matches(one, documents))).map(({ type }) => type);
  return [
    ...some("warning", "topics", "keywords stand in no document", topics),
    ...some("warning", "vocabulary", "abbreviations stand in no document, short or written out", abbreviations),
    ...some("warning", "vocabulary", "groups of synonyms have no word that stands in a document", groups),
    ...some("warning", "entities", "kinds of entities are found in no document", entities),
  ];
}

/** Tenants' terms that stand in no document which the tenant may read: no answer could be checked against them, or speak them. */
export function checkTerms(
  { tenants }: Pick<DomainPack, "tenants">,
  visibleTo: ReadonlyMap<string, readonly FolderDocument[]>,
): PackFinding[] {
  const missing = Object.entries(tenants).flatMap(([name, { terms }]) => {
    const holds = createHolder(visibleTo.get(name) ?? []);
    return Object.entries(terms).flatMap(([canonical, term]) => (holds(term) ? [] : [`${name}: ${canonical} "${term}"`]));
  });
  const named = new Set(Object.values(tenants).flatMap(({ terms }) => Object.keys(terms)));
  const partly = [...named].flatMap((canonical) =>
    Object.entries(tenants).flatMap(([name, { terms }]) => (canonical in terms ? [] : [`${name}: ${canonical}`])),
  );
  return [
    ...some("fault", "terms", "tenants' terms stand in no document that the tenant may read", missing),
    ...some("warning", "terms", "canonical terms have no word of the tenant", partly),
  ];
}

function some(level: PackFinding["level"], check: PackFinding["check"], what: string, items: readonly string[]): PackFinding[] {
  return items.length === 0 ? [] : [packFinding(level, check, `${items.length} ${what}`, items)];
}

function matches(pattern: string, documents: readonly FolderDocument[]): boolean {
  const sought = new RegExp(pattern, "iu");
  return documents.some(({ text }) => sought.test(text));
}
