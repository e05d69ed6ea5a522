import { RequestError } from "../../src/shared/errors.ts";
import type { Answer, ConflictSide, Evidence } from "../../src/shared/types.ts";
import { eventsOf, sampleAnswer, sampleCitation, sampleNearMiss, sampleRefusal } from "../../src/testing/answers.ts";
import { type AskScript, waitFor } from "../../src/testing/fake-ask-engine.ts";
import { fakeEvidence, fakePassage } from "../../src/testing/passages.ts";
import written from "./scenario.json" with { type: "json" };

/** Questions that the scripted engine answers. */
export const QUESTIONS = {
  answer: "How long do I have to ask for a Higher-Level Review?",
  refusal: "May I park a camel at the clinic?",
  slow: "What takes a while?",
  hostile: "What does the hostile document say?",
  cut: "What if the connection ends?",
  conflict: "How much is the burial allowance?",
  scanned: "What does the scanned letter say?",
  rejected: "Which question is refused at the door?",
  emergency: `I cannot go on. ${"Nobody listens. ".repeat(40)}`.trim(),
} as const;

export const HOTLINE = "You are not alone: dial 988 at any hour.";

const { review, contested } = written.documents;

export const REVIEW_QUOTE = "You have 1 year from the date on your decision letter to request a Higher-Level Review.";
const CONTESTED_QUOTE = "You have 60 days from the date on the decision letter to ask for a review of a contested claim.";
const FORM_QUOTE = "To ask for a review of a disability compensation decision, use VA Form 20-0996.";

export const REVIEW_ANSWER: Answer = sampleAnswer({
  question: QUESTIONS.answer,
  report: { overallPass: true, metrics: { pii_leakage: { passed: true, score: null, threshold: null, reason: "nothing found" } } },
  sentences: [
    { text: REVIEW_QUOTE, citations: [1] },
    { text: CONTESTED_QUOTE, citations: [2] },
    { text: FORM_QUOTE, citations: [3] },
  ],
  citations: [
    sampleCitation(1, review, REVIEW_QUOTE),
    sampleCitation(2, contested, CONTESTED_QUOTE),
    sampleCitation(3, review, FORM_QUOTE),
  ],
});

export const REFUSAL_ANSWER: Answer = sampleAnswer({
  question: QUESTIONS.refusal,
  refusal: sampleRefusal({
    ...written.refusal,
    nearest: [
      sampleNearMiss("Travel pay", {
        heading: "What is paid",
        url: "https://www.va.gov/health-care/travel-pay/",
        missing: ["camel", "park"],
        missingValues: ["an amount of money, a percentage or a number"],
      }),
      sampleNearMiss("Service animals", { missing: ["clinic parking"] }),
    ],
  }),
});

export const HOSTILE_TEXT = '<img src=x onerror="document.title=`owned`"> <script>document.title="owned"</script> [1](javascript:alert(1))';
const hostile = {
  title: '<b onmouseover="alert(1)">Title</b>',
  url: "javascript:document.title='owned'",
  asOf: null,
  headingPath: ["<i>heading</i>"],
  path: '"><img src=x onerror=alert(1)>.md',
  context: `Before. ${HOSTILE_TEXT} After.`,
};
const HOSTILE_ANSWER = sampleAnswer({
  question: QUESTIONS.hostile,
  sentences: [{ text: HOSTILE_TEXT, citations: [1] }],
  citations: [sampleCitation(1, hostile, HOSTILE_TEXT)],
  warnings: [{ code: "html_removed", message: HOSTILE_TEXT }],
});

function conflictSide(sid: string, title: string, value: string, asOf: string | null): ConflictSide {
  const quote = `VA pays ${value} for a burial.`;
  const place = { documentId: sid, documentVersion: "v1", start: 0, end: quote.length };
  return { sid, title, value, quote, asOf, url: `https://www.va.gov/${sid}/`, ...place };
}

const CONFLICT_ANSWER: Answer = sampleAnswer({
  question: QUESTIONS.conflict,
  sentences: [{ text: FORM_QUOTE, citations: [1] }],
  citations: [sampleCitation(1, review, FORM_QUOTE)],
  conflicts: [
    {
      about: "burial allowance",
      kind: "value",
      certainty: 0.7,
      sides: [conflictSide("S1", "Burial benefits", "$978", "2025-10-01"), conflictSide("S2", "Survivors' handbook", "$948", null)],
      resolvedBy: null,
    },
  ],
  evidence: [evidence("S1", "Burial benefits"), evidence("S2", "Survivors' handbook")],
  warnings: [{ code: "conflict", message: "Two sources give different amounts." }],
});

const LETTER_QUOTE = "The allowance was 97B dollars in 1998.";
const letter = { title: "Letter of 1998", url: null, asOf: null, headingPath: [], path: "letter.pdf", context: LETTER_QUOTE };
const fromLetter = sampleCitation(1, letter, LETTER_QUOTE);
const SCANNED_ANSWER = sampleAnswer({
  question: QUESTIONS.scanned,
  sentences: [{ text: LETTER_QUOTE, citations: [1] }],
  citations: [{ ...fromLetter, original: { ...fromLetter.original, recognised: true } }],
});

/** Plays the scenario. Pauses between sentences let the page show them one by one. */
export function playScenario(sentencePauseMs: number): AskScript {
  return async function* ({ request, signal }) {
    switch (request.question) {
      case QUESTIONS.answer:
      case QUESTIONS.slow:
        yield { type: "admit-start" };
        yield { type: "notice", stage: "retrieve", code: "no_encoder", message: "No encoder is configured: words alone are searched." };
        for (const event of eventsOf({ ...REVIEW_ANSWER, question: request.question })) {
          if (event.type === "sentence") await waitFor(sentencePauseMs, signal);
          if (event.type === "sentence" && event.index === 1 && request.question === QUESTIONS.slow) await waitFor(60_000, signal);
          yield event;
        }
        return;
      case QUESTIONS.cut:
        yield* [...eventsOf(REVIEW_ANSWER)].filter((event) => event.type !== "answer");
        await waitFor(60_000, signal);
        return;
      case QUESTIONS.hostile:
        return yield* eventsOf(HOSTILE_ANSWER);
      case QUESTIONS.conflict:
        return yield* eventsOf(CONFLICT_ANSWER);
      case QUESTIONS.scanned:
        return yield* eventsOf(SCANNED_ANSWER);
      case QUESTIONS.emergency:
        yield { type: "warning", warning: { code: "hotline", message: HOTLINE } };
        throw new RequestError("question_too_long", "The question has 655 characters: at most 500 are allowed.");
      case QUESTIONS.rejected:
        throw new RequestError("question_too_long", "The question has 501 characters: at most 500 are allowed.");
      default:
        yield* eventsOf({ ...REFUSAL_ANSWER, question: request.question });
    }
  };
}

function evidence(sid: string, title: string): Evidence {
  const passage = { ...fakePassage({ document: sid, title, segments: ["x"], scores: { bm25: 3.1, fused: 0.7 } }), sid };
  return fakeEvidence(passage, { relevance: 0.8, score: 0.8, reason: "names the amount" });
}
