import { LRUCache } from "lru-cache";
import type { Answer } from "../shared/types.ts";
import type { SharedContent } from "../store/interaction.ts";
import { sha256Hex } from "../text/hash.ts";
import type { Hit, Judgement } from "./cache.ts";

/** Characters of stored answers that are kept as they were read: some 500 answers, with what was made of them some 100 MB. */
const KEPT_CHARACTERS = 16_000_000;
/** Ways of asking for one answer for which its checks are kept, and for which it is known to have been served. */
const MOST_CONTEXTS = 64;

/** Parts of an answer that are taken over from the stored one as they are; nearly all of its text. */
const SHARED = ["sentences", "claims", "citations", "evidence", "conflicts", "checks"] as const satisfies readonly (keyof Answer)[];

interface Read {
  readonly text: string;
  readonly answer: Answer;
  /** By the question. */
  readonly served: Map<string, Served>;
}

/** A hit, and what it was found with. */
export interface Served {
  readonly hit: Hit;
  readonly judged: Judgement;
  readonly expiresAt: string;
  /** Of the store, before anything of the hit was read. */
  readonly generation: number;
}

/**
 * Stored answers that are served again and again, read once. What is kept is what follows from the text of an entry, and hits with the generation of the store
 * in which they were found: whether an entry is still there, not flagged, and its documents current and visible is for the store to say, every time; that nothing
 * has changed since is one way of saying it.
 */
export class StoredAnswers {
  private readonly known: LRUCache<string, Read>;
  private readonly passed = new WeakMap<Answer, Set<string>>();
  private readonly contents = new WeakMap<Answer, SharedContent>();
  private readonly topics = new WeakMap<Answer, readonly string[]>();
  private readonly said = new WeakMap<Answer, string>();

  /** @param limit characters kept at most */
  constructor(limit: number = KEPT_CHARACTERS) {
    this.known = new LRUCache({ maxSize: limit, sizeCalculation: ({ text }) => Math.max(1, text.length) });
  }

  /** The answer of an entry; the same object for as long as the entry has the same text. Nobody can change it. */
  read(key: string, text: string): Answer {
    const before = this.known.get(key);
    if (before?.text === text) return before.answer;
    const answer = freeze(JSON.parse(text)) as Answer;
    this.known.set(key, { text, answer, served: new Map() });
    return answer;
  }

  /** Keeps a hit on an entry that `read` gave: all that must hold of it held. @param question as it was resolved */
  serves(key: string, question: string, served: Served): void {
    const hits = this.known.peek(key)?.served;
    if (hits === undefined) return;
    if (hits.size >= MOST_CONTEXTS) hits.clear();
    hits.set(question, served);
  }

  /** The hit on the same entry by the same question, where the store has not changed since; `null`: all of it has to be looked at again. */
  servedIn(generation: number, key: string, question: string): Served | null {
    const served = this.known.get(key)?.served.get(question);
    return served?.generation === generation ? served : null;
  }

  /**
   * Do the checks pass? They are a function of the answer and of what they are made with.
   * @param context all that they are made with, as text
   */
  async passes(answer: Answer, context: string, check: () => Promise<boolean>): Promise<boolean> {
    const contexts = this.passed.get(answer) ?? new Set();
    if (contexts.has(context)) return true;
    if (!(await check())) return false;
    if (contexts.size >= MOST_CONTEXTS) contexts.clear();
    this.passed.set(answer, contexts.add(context));
    return true;
  }

  /**
   * What an answer that is stored has in common with the one that was served, to be kept once for all of them, and what is left of it; `null`: it does not
   * have all of these parts unchanged.
   * @param stored as it is stored
   * @param served an answer that `read` gave
   */
  share(stored: Answer, served: Answer): { readonly own: object; readonly content: SharedContent } | null {
    if (!SHARED.every((part) => stored[part] === served[part])) return null;
    const own = Object.fromEntries(Object.entries(stored).filter(([part]) => !SHARED.some((shared) => shared === part)));
    return { own, content: this.contentOf(served) };
  }

  /** Topics of the documents that an answer cites: of a stored one that is served they stay the same, since a document that says anything else has another version. */
  async topicsOf(served: Answer, read: () => Promise<readonly string[]>): Promise<readonly string[]> {
    const known = this.topics.get(served) ?? (await read());
    this.topics.set(served, known);
    return known;
  }

  /** What a stored answer says and rests on, as text: the same whenever it is served. */
  saidBy(served: Answer, write: (served: Answer) => string): string {
    const known = this.said.get(served) ?? write(served);
    this.said.set(served, known);
    return known;
  }

  private contentOf(served: Answer): SharedContent {
    const before = this.contents.get(served);
    if (before !== undefined) return before;
    const body = JSON.stringify(Object.fromEntries(SHARED.map((part) => [part, served[part]])));
    const content = { hash: sha256Hex(body), body };
    this.contents.set(served, content);
    return content;
  }
}

function freeze(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  for (const one of Object.values(value)) freeze(one);
  return Object.freeze(value);
}
