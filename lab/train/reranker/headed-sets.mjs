// Questions over documents with titles and headings, made from the documents themselves: what a question was made of is taken out of the index.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Names of the sets, with the folder that each reads. */
export const HEADED_SETS = {
  "va-pages": "va-pages",
  "va-headings": "va-pages",
  "va-sentences": "va-pages",
  "tau-titles": "tau-policies-kb",
  "tau-sentences": "tau-policies-kb",
  "fda-headings": "fda-drug-labels",
  "fda-sentences": "fda-drug-labels",
  "cfr-titles": "va-38cfr-part4",
  "cfr-sentences": "va-38cfr-part4",
};

/** Sentences asked of one document. */
const SENTENCES = 3;

/**
 * @param asks (folder, group) → is this source document asked about?
 * @param tools `lines(file)`: rows of a JSON-lines file; `splitSentences` of the product
 */
export function readHeadedSet(name, data, asks, tools) {
  const folder = HEADED_SETS[name];
  const pages = PAGES[folder](data, tools).map((page) => ({ ...page, asked: asks(folder, page.group) }));
  const kind = name === "va-pages" ? "descriptions" : name.split("-")[1];
  return { name, ...MAKERS[kind](pages, tools) };
}

/** Pages `{ id, group, title, description, markdown }` of a folder. */
const PAGES = {
  "va-pages": (data) => {
    const root = join(data, "va-pages/pages");
    return readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith(".md"))
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
      .sort()
      .map((path) => {
        const source = readFileSync(join(root, path), "utf8");
        const [, front = "", markdown = source] = source.match(/^---\n(.*?)\n---\n(.*)$/s) ?? [];
        const frontOf = (key) =>
          front
            .match(new RegExp(`^${key}:\\s*(.+)$`, "m"))?.[1]
            .trim()
            .replaceAll(/^["']|["']$/g, "") ?? "";
        const id = `pages/${path}`;
        return { id, group: id, title: frontOf("title"), description: frontOf("description"), markdown };
      });
  },
  "tau-policies-kb": (_, { lines }) =>
    lines("tau-policies-kb/banking_kb_documents.jsonl").map(({ id, title, content }) => page(id, id, title, content)),
  "va-38cfr-part4": (_, { lines }) =>
    lines("va-38cfr-part4/sections.jsonl").map(({ section, title, text }) =>
      page(section, section, title, text.slice(text.indexOf("\n") + 1)),
    ),
  "fda-drug-labels": (_, { lines }) =>
    lines("fda-drug-labels/label_sections.jsonl").map(({ id, drug, section, text }) =>
      page(
        `${id}/${section}`,
        drug,
        `${drug}: ${section}`,
        text.replaceAll(/^[ ]*(\d+\.\d+) +(\S.{3,79})$/gm, "\n## $2\n").replaceAll(/^ +/gm, ""),
      ),
    ),
};

function page(id, group, title, markdown) {
  return { id, group, title: title.replace("Internal:", "").trim(), description: "", markdown };
}

const MAKERS = {
  /** A page's description asks for the page, which is indexed without it. */
  descriptions: (pages) => ({
    documents: pages.map((one) => toDocument(one, { description: "", markdown: one.markdown.replace(one.description || "\0", " ") })),
    queries: pages
      .filter(({ description, asked }) => asked && description.split(/\s+/).length > 5)
      .map((one) => toQuery(one.description, one)),
  }),
  /** A title asks for its page, which keeps its headings. */
  titles: (pages) => ({
    documents: pages.map((one) => toDocument(one, { title: "" })),
    queries: golds(pages.filter(({ asked, title }) => asked && title !== "").map((one) => toQuery(one.title, one))),
  }),
  /**
   * Every other heading that stands on one page only asks for the page without it; of drug labels, the drug and the heading ask for the
   * section without it, each section a document.
   */
  headings: (pages) => {
    const labels = pages.some(({ id }) => !id.startsWith("pages/"));
    const parts = labels ? pages.flatMap(sectionsOf) : pages;
    const counts = new Map();
    for (const { heading } of parts.flatMap(headingsOf)) counts.set(heading, (counts.get(heading) ?? 0) + 1);
    const queries = [];
    const documents = parts.map((one) => {
      let { markdown } = one;
      for (const { line, heading } of headingsOf(one)) {
        const asksWell = labels ? heading.length > 3 : counts.get(heading) === 1 && heading.split(/\s+/).length > 5;
        if (!one.asked || !asksWell || orderOf(`${one.id}|${heading}`) % 2 === 0) continue;
        markdown = markdown.replace(line, " ");
        queries.push(toQuery(labels ? `${one.title.split(":")[0]} ${heading}` : heading, one));
      }
      return toDocument(one, { markdown });
    });
    return { documents, queries: golds(queries) };
  },
  /** Whole sentences that stand on one page only ask for the page without them. */
  sentences: (pages, { splitSentences }) => {
    const counts = new Map();
    const found = pages.map((one) => {
      const plain = one.markdown.split("\n").filter((line) => !/[*_<>|[\](){}#`]/.test(line));
      const sentences = plain.flatMap((line) => splitSentences(line).map(({ start, end }) => line.slice(start, end).trim()));
      for (const sentence of new Set(sentences)) counts.set(sentence, (counts.get(sentence) ?? 0) + 1);
      return sentences.filter((sentence) => /^\p{Lu}.*[.?]$/u.test(sentence) && sentence.split(/\s+/).length > 7 && sentence.length < 250);
    });
    const queries = [];
    const documents = pages.map((one, i) => {
      const words = one.markdown.split(/\s+/).length;
      const chosen = one.asked
        ? found[i]
            .filter((sentence) => counts.get(sentence) === 1)
            .sort((a, b) => orderOf(a) - orderOf(b))
            .slice(0, Math.min(SENTENCES, Math.floor(words / 80)))
        : [];
      for (const sentence of chosen) queries.push(toQuery(sentence, one));
      return toDocument(one, { markdown: chosen.reduce((text, sentence) => text.replace(sentence, " "), one.markdown) });
    });
    return { documents, queries };
  },
};

function toDocument(one, changed) {
  const { id, title, description, markdown } = { ...one, ...changed };
  return { id, title, description, text: markdown, scope: null, path: "document.md" };
}

function toQuery(text, { id, group }) {
  return { text, gold: new Set([id]), scope: null, tag: null, cluster: group };
}

/** One question per wording, with every page that it was made of. */
function golds(queries) {
  const asked = new Map();
  for (const query of queries) {
    const known = asked.get(query.text);
    if (known === undefined) asked.set(query.text, query);
    else for (const id of query.gold) known.gold.add(id);
  }
  return [...asked.values()];
}

function headingsOf({ markdown }) {
  return [...markdown.matchAll(/^#{2,4} +(.+?) *#*$/gm)]
    .map(([line, heading]) => ({ line, heading: heading.replaceAll(/[*_]|\{.*?\}/g, "").trim() }))
    .filter(({ heading }) => !/[<>[\]|]/.test(heading));
}

function sectionsOf({ markdown, ...one }) {
  return markdown
    .split(/^(?=## )/m)
    .map((part, i) => ({ ...one, id: `${one.id}/${i}`, markdown: part }))
    .filter(({ markdown: part }) => part.split(/\s+/).length > 25);
}

/** A number that is as good as drawn, and always the same. */
function orderOf(text) {
  return Number.parseInt(createHash("sha256").update(text).digest("hex").slice(0, 8), 16);
}
