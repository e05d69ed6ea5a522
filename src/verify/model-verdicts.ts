import { messageOf } from "../errors.ts";
import type { PassageVerdict, PassageVerifier } from "../models/verifier.ts";
import type { GateSettings } from "../profiles/profile.ts";
import type { ModelCall, Passage, Question } from "../types.ts";
import type { Compared } from "./compare-passages.ts";

/** A model that scores passages beside the rules. */
export interface ModelVerifier {
  readonly verifier: PassageVerifier;
  readonly timeoutMs: number;
}

export interface ModelVerdicts {
  /** Of the passages that the model judged; the others keep the scores of the rules. */
  readonly verdicts: ReadonlyMap<Passage, PassageVerdict>;
  /** Why passages have none. */
  readonly failures: readonly string[];
}

/** Does the gate weigh whether a passage answers? The others compare cosines, as their sources say. */
export function weighsRelevance(gate: GateSettings): boolean {
  return gate.type === "sufficiency" || gate.type === "v-score";
}

/**
 * Asks the model once about all passages. Whatever goes wrong, the rules' scores stay: only whoever left ends the question.
 * @param calls takes the call, whatever becomes of it
 */
export async function judgeByModel(
  question: Question,
  passages: readonly Passage[],
  { verifier, timeoutMs }: ModelVerifier,
  calls: ModelCall[],
  signal: AbortSignal,
): Promise<ModelVerdicts> {
  const failures: string[] = [];
  const verdicts = new Map<Passage, PassageVerdict>();
  // A question that gives orders is refused whatever its passages say.
  if (passages.length === 0 || question.injectionSignals.length > 0) return { verdicts, failures };
  const call: { -readonly [Key in keyof ModelCall]: ModelCall[Key] } = {
    stage: "verify",
    model: verifier.model,
    inputTokens: null,
    outputTokens: null,
  };
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const found = await verifier.verify(
      question.resolved,
      passages.map(({ document, headingPath, text }) => ({ title: document.title, headingPath, text })),
      {
        signal: AbortSignal.any([signal, timeout]),
        onCall: () => calls.push(call),
        onUsage: (usage) => Object.assign(call, usage),
        onFailure: (reason) => failures.push(reason),
      },
    );
    for (const [i, verdict] of found.entries()) if (verdict !== null) verdicts.set(passages[i] as Passage, verdict);
  } catch (error) {
    if (signal.aborted) throw error;
    failures.push(timeout.aborted ? `${verifier.id} took longer than ${timeoutMs} ms` : messageOf(error));
  }
  return { verdicts, failures };
}

/** What the model says of a passage takes the place of what the rules say of it. */
export function withVerdicts(compared: Compared, { verdicts }: ModelVerdicts, by: string): Compared {
  return {
    ...compared,
    of(passage) {
      const comparison = compared.of(passage);
      const verdict = verdicts.get(passage);
      if (verdict === undefined) return comparison;
      const consistency = { score: verdict.consistency, reason: `judged by ${by}` };
      return {
        ...comparison,
        consistency,
        relevance: { score: verdict.relevance, reason: `relevance ${verdict.relevance.toFixed(2)} judged by ${by}` },
      };
    },
  };
}
