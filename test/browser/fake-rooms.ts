import { loadDomain } from "../../src/engine/domain.ts";
import type { Engine } from "../../src/engine/engine.ts";
import type { FeedbackRequest } from "../../src/memory/memory.ts";
import type { Answer, Block, StoredDocument } from "../../src/shared/types.ts";

/** Creates a document in which a citation made by `sampleCitation` has the right offsets: these count its passage from character 1,000. */
export function documentOf({
  document,
  before = "",
}: {
  document: Pick<StoredDocument, "id" | "version" | "title" | "path"> & { context: string };
  before?: string;
}): StoredDocument {
  const head = `${before}${document.title}`;
  const text = `${head.padEnd(998 + before.length, ".")}\n\n${document.context}`;
  const blocks: Block[] = [{ start: 0, end: head.length, type: "heading", level: 1, header: -1 }];
  for (const found of text.slice(head.length).matchAll(/[^\n]+/g)) {
    const start = head.length + found.index;
    blocks.push({ start, end: start + found[0].length, type: "paragraph", level: 0, header: -1 });
  }
  return {
    ...{ id: document.id, version: document.version, title: document.title, path: document.path, text, blocks },
    ...{ domain: "veterans", tenant: null, access: "public", source: "test", originalHash: "00", normaliser: "test-1" },
    ...{ description: null, url: null, asOf: "2026-01-15", authority: null, topic: null, subtopic: null, type: null },
    ...{ units: [], chunks: [], sourceMap: [], pages: null },
  };
}

function emptyDocument(id: string): StoredDocument {
  return documentOf({ document: { id, version: "1", title: "", path: "empty.md", context: "" } });
}

interface FakeRooms {
  readonly documents?: () => readonly StoredDocument[];
  readonly answers?: () => readonly Answer[];
  readonly examples?: readonly string[];
  /** Records a rating, or throws. */
  readonly rate?: (request: FeedbackRequest) => void;
}

/** Fakes the parts of an engine that the views call. Without `documents`, every id is that of an empty document. */
export function fakeRooms(parts: FakeRooms = {}): Partial<Engine> {
  const { documents, answers = () => [], examples = ["How long is a library card valid?"], rate = () => {} } = parts;
  const scope = { domain: "veterans", tenant: null, access: ["public"] };
  const load = async (_: unknown, ids: readonly string[]) => {
    const known = documents?.() ?? ids.map(emptyDocument);
    return new Map(known.filter(({ id }) => ids.includes(id)).map((one) => [one.id, one]));
  };
  return {
    config: { domain: "veterans" },
    counts: async () => ({ documents: 28, asOf: { from: "2024-03-01", to: "2026-01-15", undated: 2 } }),
    domain: (name: string) => {
      if (name !== "veterans") throw new Error("no such pack");
      return { ...loadDomain(name), examples };
    },
    scope: () => scope,
    reach: async () => scope,
    memory: {
      review: {
        show: async (id: string) => {
          const answer = answers().find((one) => one.id === id) ?? null;
          return { ...scope, answer, curated: null };
        },
      },
    },
    store: {
      documents: {
        load,
        outlines: async () => [],
        visible: async (seen: unknown, ids: readonly string[]) => new Set((await load(seen, ids)).keys()),
      },
    },
    suggestions: async () => [],
    feedback: async (request: FeedbackRequest) => rate(request),
  } as unknown as Partial<Engine>;
}
