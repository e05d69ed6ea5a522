import { denseOnly, SOURCE_WRITING, VALIDATOR_GUARDS } from "./guards.ts";
import { type Profile, rulesOf } from "./profile.ts";

/** Reproduces the published `validator` design (docs/profiles.md): measures every answer, blocks only personal data. */
export const validator: Profile = {
  name: "validator",
  title: "Answers graded live, with tenants' terminology",
  needs: ["encoder"],
  retrieve: denseOnly(3),
  gate: { type: "none" },
  comparePassages: false,
  thresholdsOf: "all-MiniLM-L6-v2",
  write: {
    ...SOURCE_WRITING,
    refusal: "I found no passage to answer from.",
    unreliable: "An answer was written, but it is withheld: it seems to contain personal data, or no sentence of it passed the checks.",
  },
  check: {
    guards: VALIDATOR_GUARDS,
    withhold: ["pii"],
    uncited: "allow",
    values: "warn",
    claims: "off",
    recite: false,
    support: null,
    urls: "off",
    verificationScore: null,
  },
  report: [
    { metric: "pii_leakage", check: "pii", threshold: null },
    { metric: "token_budget", check: "token-budget", threshold: 512 },
    { metric: "answer_relevancy", check: "relevancy", threshold: 0.45 },
    { metric: "faithfulness", check: "faithfulness", threshold: VALIDATOR_GUARDS.faithfulness?.minimum ?? null },
    { metric: "chain_terminology", check: "terminology", threshold: null },
  ],
  lowConfidence: null,
  sessionTurns: 0,
  caches: [],
  rewordings: "always",
  match: { type: "learned" },
  rules: rulesOf({
    "top 3 by cosine, injected into the prompt": "reproduced: the prompt has whole passages with title, headings, page",
    "every answer has a report {overall_pass, metrics}":
      "corrected: the answer contains it as `report`, with the design's names and thresholds. overall_pass is null, never true, if a metric could not be determined. Four of the five metrics never withhold an answer",
    "pii_leakage: safety gate, fails hard":
      "reproduced: nothing is shown before the whole answer is checked. A single sentence with personal data withholds the entire answer, and the report says so",
    "five L1 metrics":
      "corrected: personal data is also found by checksums and formats, not only by the design's regexes. Relevancy passes from .20 with the embedded encoder. Faithfulness is the support of the weakest sentence, and 0 if values or names of a sentence do not agree with the passages. The threshold of relevancy was chosen on half of eight domains (`./run eval relevancy`), that of faithfulness on the validation drafts (`lab/train/entailment`). The design's .45 and .35 apply with its own encoder and with a Hugging Face model of the HHEM class (`support.hub`)",
    "/refresh-cache re-reads the documents and rebuilds the index":
      "reproduced: also available as /v1/admin/refresh; both need a key with the role ingest. A normal ingest takes effect within a second, without this call",
    "L2: golden pairs through the whole pipeline, with keyphrase coverage, live metrics and a page of results":
      "reproduced: `eval golden --domain NAME --profile validator --out FILE --html FILE`: it reports the design's metrics as `live.*`, and also context, correctness, citations and faults, with n and intervals",
  }),
};
