import { denseOnly, SOURCE_GUARDS, SOURCE_WRITING, SUPPORT_BANDS } from "./guards.ts";
import { type Profile, rulesOf } from "./profile.ts";

/** Reproduces the published `seven-layer` design (docs/profiles.md). */
export const sevenLayer: Profile = {
  name: "seven-layer",
  title: "Seven-layer hallucination defence with model routing",
  needs: ["encoder"],
  retrieve: { ...denseOnly(7), vectors: "pgvector" },
  gate: { type: "similarity", minimum: 0.45, weak: 0.55, veryWeak: 0.45, warn: 0.5 },
  comparePassages: false,
  thresholdsOf: "text-embedding-3-small",
  write: {
    ...SOURCE_WRITING,
    rules: ["If several sources support a sentence, cite all of them."],
    route: { complexTerms: 1, passages: 5, meanSimilarity: 0.55 },
    refusal: "I have no reliable information about that in my knowledge base. Try other words, or ask the official site.",
    unreliable: "The sources supported no sentence of the answer. Try other words, or ask the official site.",
  },
  check: {
    guards: SOURCE_GUARDS,
    uncited: "allow",
    values: "warn",
    claims: "warn",
    recite: false,
    support: { unsupported: 0, unclear: SUPPORT_BANDS.unclear },
    urls: "home-page",
    verificationScore: 0.7,
  },
  lowConfidence: { below: 0.5 },
  sessionTurns: 0,
  caches: ["exact", "semantic", "graph"],
  rewordings: "always",
  match: { type: "learned" },
  rules: rulesOf({
    "layer 1: keep passages with cosine ≥ .45, K = 7; weak below .55":
      "reproduced: the numbers are cosines of text-embedding-3-small; for another encoder, they are converted by quantile",
    "layer 1b: best below .45 refuses without a model call, with a fixed text":
      "reproduced: such a refusal uses no model tokens. It cites no sources, but lists the nearest passages and what they lack",
    "layer 1: HNSW index of pgvector for many vectors":
      "reproduced: the index (m = 16, ef_construction = 64) is used on PostgreSQL from 10,000 vectors, if this is the server's profile or `database.vectors` is `pgvector`. Otherwise, or if the user may read fewer than 10,000 windows, all vectors are compared",
    "layer 2: grounding rules in the prompt; the model receives every passage that layer 1 keeps":
      "reproduced: the prompt states the five rules of the design in other words; one of them is to cite all sources that support a claim. It contains the passages in full, with title, headings and page. Each sentence of the answer cites the sentences of its passages that contain its words",
    "layer 3: URL host on the whitelist, otherwise the home page": "reproduced: both come from the domain pack",
    "layer 4: supported ÷ total citations below .7 is flagged":
      "reproduced: a citation supports its sentence if values and names agree with the quote and the cross-encoder finds it supported; citations without a target are removed first and do not count",
    "layer 5: percentages and 7xxx codes must occur in the chunks":
      "corrected: the design's pattern reads `3.5 %` as 5, codes other than 7xxx are missed, and its is_clean ignores codes. Here every value counts, including dollars and periods, and must occur in the cited quotes with the same subject",
    "layer 6: strip citations beyond the last source":
      "corrected: the design's loop ends at superscript 19; here any number in any marker style is removed. The cleaned answer is cached if nothing else is wrong with it",
    "layer 7: warning prefix below .50, with a report":
      "reproduced: the condition is the design's `weak and best < .50`. The warning precedes the answer as text and as HTML, and is also in the list of warnings. It does not promise a report; the trace names the report once it is written",
    "layer 7: the report's contents":
      "corrected: a report contains the question, the passages with scores, topics and their first words, the gaps, the findings of checks, and recommendations. It is also written for refusals, which the design's code does not log. Personal data is removed, and the text of passages is read from the documents when displayed",
    "routing: large model if complex terms ≥ 1, > 5 passages, or mean similarity < .55":
      "reproduced: complex terms come from the domain pack and also match at the beginning of a word. The similarity is on the design's scale, and the trace names the rule that decided. The rule of more than 5 passages usually decides, because mostly all 7 passages reach .45, so many questions go to the large model",
    "cache: exact, semantic, graph":
      "corrected: a stored answer is found by question, domain, tenant, access and profile. A paraphrase is served only if exact facts are equal and the cross-encoder says that both ask the same, and only after retrieval. Sources, quotes and checks are verified again on every hit",
    "topics by keywords contained in the question (equation 5), entities by patterns (listing 6)":
      "corrected: a keyword must be a whole word of the question: `form` does not match `inform`; all spellings of an entity share one node",
    "graph: topic, entity and approved, newest five (listing 7); else by 1.5 approved, .5 flagged times relevance (equation 6)":
      "corrected: listing 7 is used for every question. Answers that it finds rank first; answers to similar questions follow, ordered by equation 6, where relevance is the probability that both questions are equivalent. The order excludes no stored answer, and in any case both questions must be equivalent. Flagged answers are served, with a warning, only if `cache.serve_flagged` is set. Few questions name an entity of the design's three kinds",
    "entity grounding, source consistency, topic coherence":
      "reproduced: a stored answer is used only if both questions contain the same codes, its sources still exist, and it has no topic that the question lacks",
  }),
};
