import { SUPPORT_BANDS, VERDICT_CUTS } from "./guards.ts";
import { type Profile, rulesOf } from "./profile.ts";

/**
 * Minimum confidence at which the evidence goes to a model. It is lower than the answer threshold, because the model may still
 * say that the sources do not answer. Chosen on validation questions with a small model (docs/accuracy.md).
 */
const WRITE_FROM = 0.6;

/** The default profile. The reasons for its thresholds are stated at `VERDICT_CUTS` and `WRITE_FROM`. */
export const sourcebound: Profile = {
  name: "sourcebound",
  title: "The best parts of the other designs combined; works without an API key",
  needs: [],
  retrieve: {
    ...{ dense: true, bm25: true, candidates: 50, reranker: "none", rerank: 0, passages: 8 },
    ...{ fusion: "min-max", alpha: 0.4, beta: 0.6 },
    ...{ query: { frame: true, repair: true, expand: true, codesFirst: true }, twins: "same-facts", perDocument: 3 },
  },
  gate: { type: "sufficiency", ...VERDICT_CUTS, writeFrom: WRITE_FROM },
  comparePassages: true,
  web: "attaches",
  thresholdsOf: "text-embedding-3-small",
  write: {
    mode: "quotes",
    writer: "auto",
    given: { type: "trimmed" },
    promptTokens: 4000,
    temperature: 0.3,
    route: { complexTerms: 1, passages: 5, meanSimilarity: 0.55 },
    compress: "rules",
    onFault: "select",
    sentences: { normal: 4, more: 10 },
    refusal: "I did not find enough in the documents to answer this reliably.",
    unreliable: "An answer was written, but it did not stand up to its sources, so it is not shown.",
  },
  check: {
    uncited: "remove",
    values: "remove",
    claims: "remove",
    recite: true,
    support: SUPPORT_BANDS,
    urls: "remove",
    verificationScore: 0.7,
  },
  lowConfidence: { margin: 0.03 },
  sessionTurns: 5,
  caches: ["exact", "semantic", "graph"],
  rewordings: "pack",
  match: { type: "learned" },
  rules: rulesOf({
    "quotes only; a configured model selects them, and writes only with `write: answer`":
      "ours: nothing can be invented, and it works without an API key. Quotes that a small model selects are wrong less often than its sentences (docs/accuracy.md)",
    "a model that writes receives passages cut to the parts relevant to the question, with neighbouring sentences, headings, lead-ins and conditions":
      "ours: a sentence alone does not say whom it is about, so its surroundings are included. Every sentence of the model cites the quotes that contain its words, and is checked against them",
    "when a sentence fails, the model selects quotes instead":
      "ours: nothing after the failed sentence is shown, and text already shown stays. The selected quotes gave more right answers than a second draft (lab/log/writing.md)",
    "a model's sentence that the cross-encoder finds unsupported is removed":
      "ours: a citation would suggest that the source supports the sentence, so quotes are shown instead. If the support is unclear, the sentence is shown with a warning",
    "large model according to the rules of seven-layer":
      "ours: the thresholds are those of the profile seven-layer; its threshold of the mean similarity is a cosine of text-embedding-3-small and is converted by quantile",
    "refuse if the confidence that the best quote answers is below a threshold, and show the nearest sentences":
      "ours: sentences, list items and rows are candidates, and a cross-encoder scores the best 16. The default threshold was chosen on validation collections (docs/accuracy.md); `calibrate` fits another on a domain's own questions",
    "a passage is verified or rejected by the confidence that its best candidate answers":
      "ours: both limits were chosen on the validation collections. Rejected passages are not used",
    "contradicting sources are shown side by side":
      "ours: a contradicted passage is uncertain, never rejected, because the outlier may be the newer rule. If a rule of the domain pack decides, the answer names it",
    "the web is searched for uncertain passages only if a web search is configured, and the results change no verdict":
      "ours: web results are shown next to the answer with address and time; they are not sources of the answer",
    "the cosine of answer and question decides nothing; `grade: always` measures it, as `validator` does":
      "ours: a correct answer need not repeat its question; a price alone can answer. The confidence decides before anything is shown",
    "equivalent questions share an answer: exact, semantic, graph":
      "ours: paraphrases only if the domain pack allows them. Exact facts must be equal, and the cross-encoder must say that both questions ask the same. Sources, quotes and checks are verified again on every hit",
  }),
};
