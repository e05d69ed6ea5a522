import { denseOnly, SOURCE_WRITING, STRICT_CHECKS } from "./guards.ts";
import { type Profile, REPORT_MARGIN, rulesOf } from "./profile.ts";

/** Reproduces the published `vg-rag` design (docs/profiles.md): verifies passages before a model writes. */
export const vgRag: Profile = {
  name: "vg-rag",
  title: "Verification gate before generation",
  needs: ["encoder"],
  retrieve: denseOnly(8),
  gate: { type: "v-score", verified: 0.75, rejected: 0.4 },
  comparePassages: true,
  web: "decides",
  thresholdsOf: "text-embedding-3-small",
  write: {
    ...SOURCE_WRITING,
    promptTokens: 10_000,
    refusal: "No passage could be verified as an answer to this question.",
    unreliable: "The answer was not supported by verified evidence and is not shown.",
  },
  check: STRICT_CHECKS,
  lowConfidence: { margin: REPORT_MARGIN },
  sessionTurns: 0,
  caches: ["exact"],
  rewordings: "always",
  match: { type: "learned" },
  rules: rulesOf({
    "V_score from relevance, consistency, agreement; weights unstated":
      "corrected: the design states no weights. Here, V_score is the geometric mean of the available scores with equal weights, so that each score can reject a passage; with an arithmetic mean, fluent text would get .5 and never be rejected. Agreement is null if no other passage has the same subject",
    "a lightweight model verifies: does it answer, is it self-contained, clear, unambiguous":
      "corrected: relevance is the confidence that the passage's best candidate answers (with another encoder, the cosine), converted to the scale of V: a passage without faults is verified from a confidence of .27 and rejected below .07, as in `sourcebound`. Consistency is 1 minus the faults: the share of incomplete sentences, an opening that refers outside the passage, a missing date, two values for the same thing. With `verify.by: model`, the model scores both for all passages in one call; passages that it cannot judge keep these scores",
    "agreement: an outlier against the majority of passages is rejected":
      "reproduced: a passage is rejected if at least two passages contradict it and fewer support it; if one contradicts and one supports it, it is uncertain. Exact values and negation are compared. If they find nothing, the learned claim score may support a passage. It gives no verdict for most passages, because they say different things about a question",
    "≥ .75 verified, .40–.75 uncertain, < .40 rejected": "reproduced: the limits apply to the geometric mean",
    "uncertain passages go to the web: confirmed → verified, contradicted → rejected":
      "corrected: this happens only if a web search is configured (`web_search`); otherwise the answer says that they were not checked, and they are not used. A passage that the web does not mention, or that pages both confirm and contradict, stays uncertain and is not used. Pages are compared by values, negation and conditions. If the wording differs too much for that, the learned claim score may support a passage from .7, if the page contains all its values",
    "a targeted query from the chunk":
      "corrected: the query consists of words of the question and of the chunk's title, rare words and identifiers. Amounts and dates are left out, because a query with them would not find contradicting pages; personal data is removed",
    "only verified passages reach the writer": "reproduced: the writer receives them in full, with title and headings",
  }),
};
