import { createClassifier } from "../../src/memory/classify.ts";
import { type Asked, acceptCandidate, nearestQuestions, QuestionIndex, relatedQuestions } from "../../src/memory/recall.ts";
import { exactCacheKey, lookupExact, StoredAnswers, sharingScope } from "../../src/memory/stored-answers.ts";
import { rememberAnswer } from "../../src/pipeline/remember.ts";
import { VectorGroups } from "../../src/retrieval/dense.ts";
import type { Answer, Chunk, Passage, Question, StoredDocument } from "../../src/shared/types.ts";
import type { Store } from "../../src/store/store.ts";
import { sampleAnswer, sampleCitation } from "../../src/testing/answers.ts";
import { hashedWords } from "../../src/testing/fake-encoder.ts";
import { fakeMatcher } from "../../src/testing/fake-matcher.ts";
import { fakeEvidence, fakePassage, fakeQuestion } from "../../src/testing/passages.ts";
import { fileContent, storedDocument } from "../../src/testing/store-contract.ts";
import { sha256Hex } from "../../src/text/hash.ts";
import { chunkId } from "../../src/text/paths.ts";

export const SUBJECTS = ["ferry", "ladder", "harbour"] as const;
const WORDINGS = ["What is the number of the", "Which number has the", "Tell me the number of the"] as const;

/** A document: one fact that answers cite, between other text. */
export interface Page {
  readonly subject: number;
  readonly fact: number;
  readonly before: string;
  readonly after: string;
  readonly access: "public" | "staff";
}

/** A stored version with the time of its deletion. */
interface Life {
  readonly version: string;
  readonly text: string;
  readonly access: string;
  goneAt: number | null;
}

/** One process on the database: its store and its question index. */
export interface Process {
  readonly store: Store;
  readonly index: QuestionIndex;
  readonly answers: StoredAnswers;
}

export function processOn(store: Store): Process {
  return { store, index: new QuestionIndex(store.cache, () => new VectorGroups()), answers: new StoredAnswers() };
}

const classify = createClassifier({
  topics: [{ slug: "numbers", name: "Numbers", keywords: ["number"] }],
  entities: [{ type: "subject", canonical: "$1", patterns: [`\\b(${SUBJECTS.join("|")})\\b`] }],
});
const subjectOf = (question: string) => SUBJECTS.findIndex((subject) => question.includes(subject));
const matcher = fakeMatcher((asked, stored) => subjectOf(asked) === subjectOf(stored));
const embed = async (text: string) => ({ model: "words", values: hashedWords(text) });
const settings = {
  cache: { enabled: true, hours: 1, entries: 1_000_000, serve_flagged: false },
  session: { turns: 0, idle_minutes: 1, most: 1_000 },
  reports: { enabled: false, days: 1, entries: 0 },
};
const scopeSettings = { secret: "s", language: "en", encoder: "e", configHash: "c" };

/** A separate domain in a shared database, with the operations of a schedule: edit, delete, ask, and check the answer. */
export class MemoryWorld {
  readonly domain: string;
  readonly lives = new Map<string, Life[]>();
  readonly served = { exact: 0, semantic: 0, graph: 0, miss: 0, refused: 0 };
  private tick = 0;

  constructor(domain: string) {
    this.domain = domain;
  }

  async edit({ store }: Process, page: Page): Promise<void> {
    const document = this.document(page);
    const life = { version: document.version, text: document.text, access: document.access, goneAt: null };
    const lives = this.lives.get(document.id) ?? [];
    this.lives.set(document.id, [...lives, life]);
    await store.documents.putFile(this.place(page.subject), fileContent(document));
    await this.endLives(document.id, store);
  }

  async delete({ store }: Process, subject: number): Promise<void> {
    await store.documents.deleteFiles(this.place(subject), [`${subject}.md`]);
    await this.endLives(this.id(subject), store);
  }

  /** Asks as the pipeline does, yielding to the event loop between retrieval and remembering. */
  async ask(process: Process, subject: number, wording: number, turns: number): Promise<void> {
    const begun = ++this.tick;
    const question = this.question(subject, wording);
    const answer = await this.answer(process, question, subject, turns);
    if (answer !== null) this.expectAlive(answer, begun);
  }

  /** Throws if the answer depends on a version that was deleted or restricted before the question, or contains a wrong quote. */
  private expectAlive(answer: Answer, begun: number): void {
    const named = [
      ...answer.citations,
      ...answer.evidence.map(({ passage }) => ({ documentId: passage.document.id, documentVersion: passage.document.version })),
    ];
    for (const { documentId, documentVersion } of named) {
      const lives = (this.lives.get(documentId) ?? []).filter(({ version }) => version === documentVersion);
      const alive = lives.some(({ goneAt, access }) => access === "public" && (goneAt === null || goneAt > begun));
      if (!alive) throw new Error(`served from ${documentVersion} of ${documentId}, which is gone (${answer.cacheMode})`);
    }
    for (const { documentVersion, documentId, start, end, quote } of answer.citations) {
      const life = this.lives.get(documentId)?.find(({ version }) => version === documentVersion);
      if (life?.text.slice(start, end) !== quote) throw new Error(`"${quote}" is not at its place`);
    }
  }

  private async answer({ store, index, answers }: Process, question: Question, subject: number, turns: number): Promise<Answer | null> {
    const places = {
      cache: store.cache,
      documents: store.documents,
      answers,
      recheck: async ({ sentences, citations }: Answer) => {
        await wait(turns);
        return sentences.every(({ text }) => citations.some(({ quote }) => quote === text));
      },
    };
    const exact = await lookupExact(exactCacheKey(question, scopeSettings), question.scope, places);
    const asked: Asked = {
      ...classify(question.resolved),
      text: question.resolved,
      written: question.resolved,
      scope: sharingScope(question, scopeSettings) ?? "",
      domain: this.domain,
      vector: await embed(question.resolved),
    };
    const collect = () =>
      subject % 2 === 0
        ? nearestQuestions(asked, { ...places, index })
        : relatedQuestions(asked, new Set(), { ...places, graph: store.graph });
    const candidates = exact.hit === null ? await collect() : [];
    const passages = await this.retrieve(store, question, subject);
    const found =
      exact.hit === null
        ? await acceptCandidate(asked, question.scope, candidates, passages, {
            ...{ ...places, matcher, settings: { type: "learned" }, byReview: true },
            signal: new AbortController().signal,
          })
        : { hit: exact.hit };
    const { hit } = found;
    await wait(turns);
    if (hit === null && passages.length === 0) {
      this.served.refused++;
      return null;
    }
    const fresh = hit === null ? this.write(question, passages[0] as Passage) : null;
    const answer = {
      ...(hit?.answer ?? (fresh as Answer)),
      id: `${this.domain}-${++this.tick}`,
      cacheMode: hit?.level ?? ("miss" as const),
    };
    this.served[answer.cacheMode as "miss"]++;
    await rememberAnswer(
      question,
      answer,
      {
        writing: { scope: scopeSettings, share: { embed, classify, matcher, settings: { type: "learned" } } },
        curatedKey: null,
        chance: null,
        hit: null,
        topics: [],
        answers: new StoredAnswers(),
      },
      store,
      settings,
    );
    return answer;
  }

  private async retrieve(store: Store, { scope }: Question, subject: number): Promise<Passage[]> {
    const document = (await store.documents.load(scope, [this.id(subject)])).get(this.id(subject));
    const chunk = document?.chunks[1];
    if (document === undefined || chunk === undefined) return [];
    const text = document.text.slice(chunk.start, chunk.end);
    const passage = fakePassage({ document: document.id, title: document.title, segments: [text] });
    const { id, path, title, url, asOf, authority, version, originalHash, normaliser, blocks, sourceMap } = document;
    return [
      {
        ...passage,
        chunkId: chunk.id,
        range: { start: chunk.start, end: chunk.end },
        window: { start: chunk.start, end: chunk.end },
        document: { id, path, title, url, asOf, authority, version, originalHash, normaliser, blocks, sourceMap },
      },
    ];
  }

  private write(question: Question, passage: Passage): Answer {
    const { document, range, text, chunkId: id } = passage;
    const face = { title: document.title, url: document.url, asOf: null, headingPath: [], path: document.path, context: text };
    const citation = {
      ...sampleCitation(1, face as never, text),
      documentId: document.id,
      documentVersion: document.version,
      chunkId: id,
      start: range.start,
      end: range.end,
      quote: text,
      context: text,
      quoteStart: 0,
    };
    return sampleAnswer({
      question: question.text,
      domain: this.domain,
      sentences: [{ text, citations: [1] }],
      citations: [citation],
      evidence: [fakeEvidence(passage)],
      claims: [{ sentence: 0, text, status: "supported", citations: [1], reason: "" }],
    });
  }

  /** Marks every version but the current one as deleted. */
  private async endLives(id: string, store: Store): Promise<void> {
    const current = (await store.documents.heads(this.domain)).get(id)?.version;
    const now = ++this.tick;
    for (const life of this.lives.get(id) ?? []) {
      if (life.version === current) life.goneAt = null;
      else life.goneAt ??= now;
    }
  }

  private question(subject: number, wording: number): Question {
    const text = `${WORDINGS[wording % WORDINGS.length]} ${SUBJECTS[subject]}?`;
    const question = fakeQuestion(text);
    return { ...question, profile: "p", scope: { domain: this.domain, tenant: null, access: ["public"] } };
  }

  private id(subject: number): string {
    return `${this.domain}-${subject}`;
  }

  private place(subject: number) {
    return { domain: this.domain, tenant: null, source: "s", path: `${subject}.md` };
  }

  private document({ subject, fact, before, after, access }: Page): StoredDocument {
    const parts = [before, `The number of the ${SUBJECTS[subject]} is ${fact}.`, after];
    const text = parts.join("\n\n");
    const id = this.id(subject);
    const version = sha256Hex(JSON.stringify([text, access]));
    let at = 0;
    const chunks = parts.map((part, ordinal): Chunk => {
      const [start, end] = [at, at + part.length];
      at = end + 2;
      return {
        id: chunkId(id, version, ordinal),
        documentId: id,
        ordinal,
        start,
        end,
        tokens: 5,
        headingPath: [],
        windows: [{ start, end, tokens: 5 }],
      };
    });
    return storedDocument({ id, domain: this.domain, path: `${subject}.md`, text, version, access, chunks, url: null, pages: null });
  }
}

/** Yields to the event loop this number of times. */
async function wait(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
}
