import type { ShownBy } from "./rule-tests.ts";

/** A rule, number, figure or feature of a source, with the test or command that shows it; `lacks`: what it does not show. */
export interface SourceRow {
  readonly row: string;
  readonly shownBy: ShownBy | string;
  readonly lacks?: string;
}

const row = (text: string, shownBy: ShownBy | string, lacks?: string): SourceRow => ({ row: text, shownBy, ...(lacks && { lacks }) });
const at = (file: string, title: string): ShownBy => ({ file, title });

const LAYERS = at("test/written-profiles.test.ts", "run in the order of their source, on one answer that needs them all");

/** Twelve rows of each source; `rule-tests.test.ts` checks that their tests exist. */
export const SOURCE_ROWS: Readonly<Record<string, readonly SourceRow[]>> = {
  "seven-layer": [
    row(
      "layers 1 and 1b: cosine ≥ .45, weak below .55, K = 7, refusal without a call",
      at("src/evidence/gate.test.ts", "%s with cosines %j"),
    ),
    row(
      "layer 2: rules of the prompt, every kept chunk",
      at("src/writing/sources.test.ts", "contains the whole passage with title, headings and"),
    ),
    row("layer 3: hosts of the whitelist, else the home page", at("src/checks/urls.test.ts", "applies the whitelist of the")),
    row("layer 4: supported ÷ total citations, flagged below .7", LAYERS),
    row("layer 5: percentages and codes of the answer are in the chunks", LAYERS),
    row(
      "layer 6: invalid citations stripped, the cleaned answer cached",
      at("test/written-profiles.test.ts", "remove a citation that no source has before the answer is cached"),
    ),
    row("layer 7: prefix below .50, report with advice", at("test/reports.test.ts", "are created for refusals, not for good")),
    row(
      "table 1: faults with none, four and seven layers",
      "ablate --domain veterans --writers scripted --rungs all",
      "the writer is scripted; no real one was at hand",
    ),
    row(
      "graph: topics (equation 5), entities (listing 6), multi-join query (listing 7)",
      at("test/memory.test.ts", "finds an answer by topic and entity"),
    ),
    row("equation 6: approved × 1.5, flagged × .5", at("test/memory.test.ts", "serves flagged answers only if a setting allows it")),
    row(
      "routing (equation 11), cost with and without it (table 6)",
      at("src/writing/route.test.ts", "routeModel with the numbers of seven-layer"),
    ),
    row(
      "pgvector with HNSW, where this is the server's profile (tables 10, 11)",
      at("test/postgres-table.test.ts", "is used by setting, or if the source of the server's"),
    ),
  ],
  spark: [
    row("fusion .6 and .4 after min-max", at("src/retrieval/fuse.test.ts", "weighs .6 dense and .4 words")),
    row("duplicates from a TF-IDF cosine of .85", at("src/retrieval/deduplicate.test.ts", "drops by cosine alone if the profile says so")),
    row("cross-encoder on `title. section. text`; K 50, 8, 5", at("src/retrieval/rerank.test.ts", "scores all 50 of spark, and")),
    row("guard .7 and .3, from .28, mean from .35, with P(relevant) .85 and P(answerable) .90", "eval guard --data DATA"),
    row(
      "6 quotes of 120 tokens in 2,200; one model picks, one answers",
      at("test/written-profiles.test.ts", "gives the writer the selected quotes"),
    ),
    row("citation consistency", at("src/checks/check.test.ts", "removes or keeps an uncited sentence, as")),
    row("caches: SHA-256; cosine .92, Jaccard .6, overlap .6; versions", at("src/memory/matcher.test.ts", "applies each threshold of")),
    row("format of request and response", at("test/service-routes.test.ts", "for asking, searching, checking and the validator's metrics")),
    row("500 characters, HTML sanitised, 100 requests an hour", at("src/checks/check.test.ts", "removes markup from a model's sentence")),
    row("no query logs, ephemeral processing, HTTPS, admin token", at("test/privacy.test.ts", "ephemeral privacy")),
    row(
      "monitoring: latency, hits, tokens, errors, connections, limits, machine",
      at("test/serving.test.ts", "count answers by cache level, stages with quantiles"),
    ),
    row("recall@50 .94, precision@8 .87, MRR .82, cost, latency", "eval profiles --data DATA --profiles spark"),
  ],
  "vg-rag": [
    row("top k by vectors, untrusted until verified", at("src/evidence/gate.test.ts", "%s with cosines %j")),
    row("relevance: does the chunk answer", at("test/vg-rag-buckets.test.ts", "scores relevance by confidence, and")),
    row(
      "consistency: self-contained, clear, unambiguous",
      at("test/vg-rag-buckets.test.ts", "scores relevance by confidence, and consistency by"),
    ),
    row(
      "agreement: an outlier against the majority is rejected",
      at("src/evidence/compare-passages.test.ts", "rejects the outlier of a majority in vg-rag"),
    ),
    row(
      "agreement speaks of the chunks",
      "eval profiles --data DATA --profiles vg-rag",
      "it spoke of 66 of 960; most passages say different things of a question",
    ),
    row("V from .75 verified, from .40 uncertain, else rejected", at("test/vg-rag-buckets.test.ts", "puts real passages into each bucket")),
    row("a model verifies, in one call", at("test/verify-by-model.test.ts", "takes relevance and consistency of all passages from one")),
    row("only uncertain chunks go to the web", at("test/web.test.ts", "reports that uncertain passages were not checked without")),
    row("a targeted query from the chunk", at("src/evidence/web.test.ts", "contains question, title, names and")),
    row("the web promotes and demotes, by a service over real pages", at("test/web.test.ts", "promotes and demotes: %s is %s")),
    row("pages in other words", "bench web --pages DIR", "7 of 120 passages confirmed: the others stay unused"),
    row("only verified chunks reach the writer", at("src/evidence/gate.test.ts", "%s with cosines %j")),
  ],
  validator: [
    row("top 3 by cosine, in the prompt", at("test/model.test.ts", "of %s contains the %i best passages by cosine")),
    row("pii_leakage fails hard", at("test/written-profiles.test.ts", "withholds the whole answer, including earlier sentences")),
    row("token_budget: characters ÷ 4, at most 512", at("src/checks/guards.test.ts", "counts like the validator source")),
    row("answer_relevancy from .45, carried over", at("src/checks/guards.test.ts", "passes at the threshold")),
    row(
      "faithfulness from .35 by a model of the HHEM class",
      at("src/checks/faithfulness.test.ts", "uses the source's threshold of .35 and mean over passages only with the source's model"),
    ),
    row("chain_terminology: rivals' terms", at("src/checks/guards.test.ts", "checkTerminology")),
    row("{overall_pass, metrics} with every answer", at("src/checks/report.test.ts", "contains the five metrics of the source with")),
    row("golden pairs, keyphrases, page of results", at("test/eval-golden.test.ts", "writes figures with n and intervals, and a page")),
    row("/refresh-cache", at("test/memory.test.ts", "reads every source again, rebuilds the")),
    row(
      "typed client with retries and timeouts",
      at("src/client/retry.test.ts", "stop after the configured number, with the count and the reason"),
    ),
    row("switcher of domains and tenants, metrics within one click", at("test/browser/rooms.test.ts", "explain how an answer was")),
    row("catalogues as YAML; a fault names its line", at("src/engine/packs/check-pack.test.ts", "finds a fault of %s in %s")),
  ],
  book: [
    row("chunks of 800 tokens, 512 to 1,024, overlap 128", at("src/ingest/chunk.test.ts", "chunks")),
    row(
      "tables, footnotes, block quotes and headings are kept",
      at("src/ingest/formats/formats.test.ts", "a footnote follows the paragraph that refers to it"),
    ),
    row("filters by chapter, section and page", at("test/book.test.ts", "by chapter, section or page quotes nothing from outside")),
    row("selection, also of one sentence", at("test/book.test.ts", "shorter than a chunk finds its passage, cut to")),
    row("below 500 ms with a selection", "eval selected --data DATA --domains book --random 300 --seed 1 --profile book"),
    row("citations required; a missing source rejects", at("test/written-answer.test.ts", "under book rejects the answer with its own")),
    row(
      "uncited sentences from a similarity of .6",
      at("test/written-answer.test.ts", "under book gets the citation of a similar quote, or"),
    ),
    row("refused below .7, carried over", at("test/book.test.ts", "say that nothing about the topic was found below")),
    row("two refusals, temperature .3", at("test/book.test.ts", "say that nothing about the topic was found below")),
    row("five turns, 30 minutes", at("test/model.test.ts", "contains only the last five")),
    row("page of a citation, also as printed", at("src/ingest/formats/pdf.test.ts", "a place names the printed page number")),
    row("contract and quickstart by a generated client", at("test/service-routes.test.ts", "a client generated from /openapi.json")),
  ],
};
