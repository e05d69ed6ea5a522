/** A test that shows a rule: its file, and the title in it. */
export interface ShownBy {
  readonly file: string;
  readonly title: string;
}

const at = (file: string, title: string): ShownBy => ({ file, title });

const FOREIGN = at("src/checks/language.test.ts", "checkLanguage");

/** Which test shows which rule of a profile, by the rule's own words; `rule-tests.test.ts` holds every rule that is reproduced or corrected to it. */
export const RULE_TESTS: Readonly<Record<string, Readonly<Record<string, ShownBy>>>> = {
  sourcebound: {},
  "seven-layer": {
    "layer 1: keep passages with cosine ≥ .45, K = 7; weak below .55": at("src/evidence/gate.test.ts", "%s with cosines %j"),
    "layer 1b: best below .45 refuses without a model call, with a fixed text": at(
      "test/model.test.ts",
      "refuse without a model call below their",
    ),
    "layer 1: HNSW index of pgvector for many vectors": at(
      "test/postgres-table.test.ts",
      "is used by setting, or if the source of the server's profile requires it",
    ),
    "layer 2: grounding rules in the prompt; the model receives every passage that layer 1 keeps": at(
      "src/writing/sources.test.ts",
      "contains the whole passage with title, headings and page, in lines that cannot imitate another source",
    ),
    "layer 3: URL host on the whitelist, otherwise the home page": at("src/checks/urls.test.ts", "applies the whitelist of the"),
    "layer 4: supported ÷ total citations below .7 is flagged": at(
      "test/written-profiles.test.ts",
      "run in the order of their source, on one answer that needs them all",
    ),
    "layer 5: percentages and 7xxx codes must occur in the chunks": at(
      "test/written-profiles.test.ts",
      "run in the order of their source, on one answer that needs them all",
    ),
    "layer 6: strip citations beyond the last source": at(
      "test/written-profiles.test.ts",
      "run in the order of their source, on one answer that needs them all",
    ),
    "layer 7: warning prefix below .50, with a report": at(
      "test/refusals.test.ts",
      "seven-layer puts its warning before the text and HTML of an answer below .50 only",
    ),
    "layer 7: the report's contents": at(
      "test/reports.test.ts",
      "are created for refusals, not for good answers, and are also found by the answer's id",
    ),
    "routing: large model if complex terms ≥ 1, > 5 passages, or mean similarity < .55": at(
      "src/writing/route.test.ts",
      "routeModel with the numbers of seven-layer",
    ),
    "cache: exact, semantic, graph": at("test/memory.test.ts", "finds an answer by topic and entity"),
    "topics by keywords contained in the question (equation 5), entities by patterns (listing 6)": at(
      "src/memory/classify.test.ts",
      "createTopicReader",
    ),
    "graph: topic, entity and approved, newest five (listing 7); else by 1.5 approved, .5 flagged times relevance (equation 6)": at(
      "test/memory.test.ts",
      "serves an approved answer about the same topic and entity before a closer one of the semantic cache",
    ),
    "entity grounding, source consistency, topic coherence": at(
      "test/memory.test.ts",
      "rejects an answer about another code or another topic",
    ),
  },
  spark: {
    "fusion .6 vector + .4 BM25 after min-max": at("src/retrieval/fuse.test.ts", "weighs .6 dense and .4 words"),
    "passages with TF-IDF cosine ≥ .85 to a better one are dropped": at(
      "src/retrieval/deduplicate.test.ts",
      "drops by cosine alone if the profile says so, but lists no source with other facts",
    ),
    "K 50 → 8 → 5": at("src/retrieval/rerank.test.ts", "scores all 50 of spark, and orders the 8 by that score alone"),
    "cross-encoder ms-marco-MiniLM-L-6-v2 on `title. section. text`": at(
      "src/models/adapters/hub.test.ts",
      "scores title, section and text as one, without empty parts",
    ),
    "guard .7·rel + .3·cross, ≥ .28 each, mean of those ≥ .35; otherwise refused without a model call": at(
      "src/evidence/gate.test.ts",
      "spark by its %s: %j",
    ),
    "at most 6 quotes of 120 tokens in 2,200": at(
      "test/model.test.ts",
      "contains the rules and at most 6 verbatim quotes of 120 tokens, within 2,200 tokens in spark",
    ),
    "GPT-4o-mini picks verbatim quotes, GPT-4o answers": at(
      "test/written-profiles.test.ts",
      "gives the writer the selected quotes verbatim, and counts its tokens separately",
    ),
    "citation consistency": at("src/checks/check.test.ts", "removes or keeps an uncited sentence, as"),
    "exact cache: SHA-256 of the question": at("test/memory.test.ts", "separates tenants, profiles, details, selections and filters"),
    "semantic cache: reuse an answer if cosine ≥ .92, entity Jaccard ≥ .6 and document overlap ≥ .6; prefer the highest weighted sum of the three":
      at("src/memory/matcher.test.ts", "applies each threshold of spark, with its converted cosine, and then the cross-encoder's"),
    "invalidation by document version": at("src/testing/store/cache.ts", "drops an entry and its edges in the transaction"),
    "questions ≤ 500 characters, HTML sanitised": at("src/checks/check.test.ts", "removes markup from a model's sentence"),
  },
  "vg-rag": {
    "V_score from relevance, consistency, agreement; weights unstated": at(
      "src/evidence/compare-passages.test.ts",
      "is the geometric mean of the known scores, null without any",
    ),
    "a lightweight model verifies: does it answer, is it self-contained, clear, unambiguous": at(
      "test/vg-rag-buckets.test.ts",
      "scores relevance by confidence, and consistency by faults of the text",
    ),
    "agreement: an outlier against the majority of passages is rejected": at(
      "src/evidence/compare-passages.test.ts",
      "rejects the outlier of a majority in vg-rag",
    ),
    "≥ .75 verified, .40–.75 uncertain, < .40 rejected": at("test/vg-rag-buckets.test.ts", "puts real passages into each bucket"),
    "uncertain passages go to the web: confirmed → verified, contradicted → rejected": at(
      "test/web.test.ts",
      "rejects a contradicted passage",
    ),
    "a targeted query from the chunk": at(
      "src/evidence/web.test.ts",
      "contains question, title, names and identifiers, but no amounts, durations and dates",
    ),
    "only verified passages reach the writer": at("src/evidence/gate.test.ts", "%s with cosines %j"),
  },
  validator: {
    "L2: golden pairs through the whole pipeline, with keyphrase coverage, live metrics and a page of results": at(
      "src/grading/score-answer.test.ts",
      "computes the share of keyphrases and the F1 of Ragas over claims",
    ),
    "top 3 by cosine, injected into the prompt": at(
      "test/model.test.ts",
      "of %s contains the %i best passages by cosine completely, with title, headings and lists, within its budget",
    ),
    "every answer has a report {overall_pass, metrics}": at(
      "test/written-profiles.test.ts",
      "has its own format, and a reason for every metric without a result",
    ),
    "pii_leakage: safety gate, fails hard": at(
      "test/written-profiles.test.ts",
      "withholds the whole answer, including earlier sentences, and fails the report",
    ),
    "five L1 metrics": at("src/checks/report.test.ts", "contains the five metrics of the source with its names and thresholds"),
    "/refresh-cache re-reads the documents and rebuilds the index": at("test/memory.test.ts", "engine.refresh"),
  },
  book: {
    "chunks of 800 tokens, 512–1,024, overlap 128": at("src/ingest/chunk.test.ts", "chunks"),
    "selection: start ≥ a and end ≤ b": at(
      "src/retrieval/search-selection.test.ts",
      "limits results to whole sentences of the selection, and scores only words inside",
    ),
    "below 500 ms with a selection": at(
      "lab/runs/golden-sets.test.ts",
      "selected text: finds the selection behind characters of two units, and quotes nothing from outside",
    ),
    "filters by chapter, section and page": at("test/book.test.ts", "by chapter, section or page quotes nothing from outside"),
    "all retrieved passages go into the prompt as numbered sources": at(
      "src/writing/sources.test.ts",
      "contains the whole passage with title, headings and page, in lines that cannot imitate another source",
    ),
    "top 5; refuse when nothing is found or the best is below .7": at("src/evidence/gate.test.ts", "%s with cosines %j"),
    "two refusals: nothing about the topic, and no reliable answer": at(
      "test/book.test.ts",
      "say that nothing about the topic was found below .7, never that the book lacks it",
    ),
    "cited sources exist; otherwise the answer is rejected, with a message of its own": at(
      "test/written-answer.test.ts",
      "under book rejects the answer with its own message when a citation does not exist",
    ),
    "uncited sentences: similarity ≥ .6 to a chunk, otherwise the answer is rejected": at(
      "test/written-answer.test.ts",
      "under book gets the citation of a similar quote, or rejects the answer",
    ),
    "last 5 pairs in the prompt, temperature .3, 30 minutes idle": at(
      "test/model.test.ts",
      "contains only the last five turns, and keeps its budget when they are long",
    ),
  },
};

/** Of the rule that every profile has. */
export const FOREIGN_TEST = FOREIGN;
