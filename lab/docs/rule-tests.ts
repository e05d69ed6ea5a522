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
      "refuse without a model call below their thresholds",
    ),
    "layer 1: HNSW index of pgvector for many vectors": at(
      "test/postgres-table.test.ts",
      "is asked by setting, or by a profile whose source has it; by no other",
    ),
    "layer 2: grounding rules in the prompt; the model receives every passage that layer 1 keeps": at(
      "src/writing/sources.test.ts",
      "gives the whole passage with title, headings and page; no line of it can pass for another source",
    ),
    "layer 3: URL host on the whitelist, otherwise the home page": at("src/checks/urls.test.ts", "holds the whitelist against look-alikes"),
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
      "seven-layer sets its warning before the text and the HTML of an answer below .50, and before no other",
    ),
    "layer 7: the report's contents": at(
      "test/reports.test.ts",
      "are made of refusals and not of good answers, and are found by the answer's id too",
    ),
    "routing: large model if complex terms ≥ 1, > 5 passages, or mean similarity < .55": at(
      "src/writing/route.test.ts",
      "routeModel with the numbers of seven-layer",
    ),
    "cache: exact, semantic, graph": at("test/memory.test.ts", "finds an answer by topic and entity, and by a person's approval first"),
    "topics by keywords contained in the question (equation 5), entities by patterns (listing 6)": at(
      "src/memory/classify.test.ts",
      "createTopicReader",
    ),
    "graph: topic, entity and approved, newest five (listing 7); else by 1.5 approved, .5 flagged times relevance (equation 6)": at(
      "test/memory.test.ts",
      "is asked of every question: what a person approved about the same topic and entity is served as the graph's, also where it lies near",
    ),
    "entity grounding, source consistency, topic coherence": at(
      "test/memory.test.ts",
      "gives a question with a code no answer about another code, and none of another topic",
    ),
  },
  spark: {
    "fusion .6 vector + .4 BM25 after min-max": at("src/retrieval/fuse.test.ts", "weighs .6 dense and .4 words"),
    "passages with TF-IDF cosine ≥ .85 to a better one are dropped": at(
      "src/retrieval/deduplicate.test.ts",
      "drops by cosine alone where the profile says so, but never lists as a source what says something else",
    ),
    "K 50 → 8 → 5": at("src/retrieval/rerank.test.ts", "reads all 50 of spark, and its score alone is the order of the 8"),
    "cross-encoder ms-marco-MiniLM-L-6-v2 on `title. section. text`": at(
      "src/models/adapters/hub.test.ts",
      "reads title, section and text as one, without empty parts",
    ),
    "guard .7·rel + .3·cross, ≥ .28 each, mean of those ≥ .35; otherwise refused without a model call": at(
      "src/evidence/gate.test.ts",
      "spark by its %s: %j",
    ),
    "at most 6 quotes of 120 tokens in 2,200": at(
      "test/model.test.ts",
      "holds the rules, and at most 6 quotes of 120 tokens, verbatim, within 2,200 tokens in spark",
    ),
    "GPT-4o-mini picks verbatim quotes, GPT-4o answers": at(
      "test/written-profiles.test.ts",
      "gives the writer what the model picked, verbatim, and counts its tokens apart",
    ),
    "citation consistency": at("src/checks/check.test.ts", "removes, or lets pass, what cites nothing"),
    "exact cache: SHA-256 of the question": at(
      "test/memory.test.ts",
      "keeps apart what differs in tenant, profile, detail, selection or filters",
    ),
    "semantic cache: cosine ≥ .92, entity Jaccard ≥ .6, document overlap ≥ .6; the weighted sum ranks": at(
      "src/memory/matcher.test.ts",
      "holds each threshold of spark, with its cosine carried over, and then the cross-encoder's",
    ),
    "invalidation by document version": at("src/testing/store/cache.ts", "drops an entry and its edges in the transaction"),
    "questions ≤ 500 characters, HTML sanitised": at("src/checks/check.test.ts", "takes markup out of what a model wrote"),
  },
  "vg-rag": {
    "V_score from relevance, consistency, agreement; weights unstated": at(
      "src/evidence/compare-passages.test.ts",
      "is the geometric mean of what exists, null of nothing",
    ),
    "a lightweight model verifies: does it answer, is it self-contained, clear, unambiguous": at(
      "test/vg-rag-buckets.test.ts",
      "judges relevance by the learned chance, and consistency by what is no whole statement",
    ),
    "agreement: an outlier against the majority of passages is rejected": at(
      "src/evidence/compare-passages.test.ts",
      "rejects the outlier of a majority in vg-rag",
    ),
    "≥ .75 verified, .40–.75 uncertain, < .40 rejected": at("test/vg-rag-buckets.test.ts", "puts real passages into each bucket"),
    "uncertain passages go to the web: confirmed → verified, contradicted → rejected": at(
      "test/web.test.ts",
      "contradicted is rejected and is not used",
    ),
    "a targeted query from the chunk": at(
      "src/evidence/web.test.ts",
      "question, title, names and identifiers; no amounts, durations and dates",
    ),
    "only verified passages reach the writer": at("src/evidence/gate.test.ts", "%s with cosines %j"),
  },
  validator: {
    "L2: golden pairs through the whole pipeline, with keyphrase coverage, live metrics and a page of results": at(
      "src/grading/score-answer.test.ts",
      "gives the share of keyphrases and, of statements, the F1 of Ragas",
    ),
    "top 3 by cosine, injected into the prompt": at(
      "test/model.test.ts",
      "of %s holds the %i best passages by cosine whole, with title, headings and lists, within its budget",
    ),
    "every answer has a report {overall_pass, metrics}": at(
      "test/written-profiles.test.ts",
      "has its own shape, and says of every metric that was not told why",
    ),
    "pii_leakage: safety gate, fails hard": at(
      "test/written-profiles.test.ts",
      "withholds the whole answer, what was written before it too, and fails the report",
    ),
    "five L1 metrics": at("src/checks/report.test.ts", "has the five metrics of the source by its names, with its thresholds"),
    "/refresh-cache re-reads the documents and rebuilds the index": at("test/memory.test.ts", "engine.refresh"),
  },
  book: {
    "chunks of 800 tokens, 512–1,024, overlap 128": at("src/ingest/chunk.test.ts", "chunks"),
    "selection: start ≥ a and end ≤ b": at(
      "src/retrieval/search-selection.test.ts",
      "clips to whole sentences of the selection, and scores no word outside",
    ),
    "below 500 ms with a selection": at(
      "lab/runs/golden-sets.test.ts",
      "selected text: finds the selection behind characters of two units, and quotes nothing from outside",
    ),
    "filters by chapter, section and page": at("test/book.test.ts", "of a chapter or page keeps to it, cut as well"),
    "all retrieved passages go into the prompt as numbered sources": at(
      "src/writing/sources.test.ts",
      "gives the whole passage with title, headings and page; no line of it can pass for another source",
    ),
    "top 5; refuse when nothing is found or the best is below .7": at("src/evidence/gate.test.ts", "%s with cosines %j"),
    "two refusals: nothing about the topic, and no reliable answer": at(
      "test/book.test.ts",
      "say that nothing about the topic was found below .7, and never that the book has nothing",
    ),
    "cited sources exist; otherwise the answer is rejected, with a message of its own": at(
      "test/written-answer.test.ts",
      "rejects the answer of book, with its own sentence, when a citation does not exist",
    ),
    "uncited sentences: similarity ≥ .6 to a chunk, otherwise the answer is rejected": at(
      "test/written-answer.test.ts",
      "of book may lack its citation where a quote is near enough: that one is cited; else the answer is rejected",
    ),
    "last 5 pairs in the prompt, temperature .3, 30 minutes idle": at(
      "test/model.test.ts",
      "holds the last five turns only, and keeps to its budget when they are long",
    ),
  },
};

/** Of the rule that every profile has. */
export const FOREIGN_TEST = FOREIGN;
