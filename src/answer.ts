import { admitQuestion } from "./admit/admit.ts";
import { type CheckContext, type CitedQuote, checkAnswer, checkSentence } from "./check/check.ts";
import { parseMarkers } from "./check/markers.ts";
import { messageOf } from "./errors.ts";
import type { AnswerEvent } from "./events.ts";
import type { ChatModel } from "./models/chat.ts";
import type { Profile } from "./profiles/profile.ts";
import { type CacheScope, exactCacheKey, lookupExact } from "./remember/cache.ts";
import { type RememberSettings, rememberAnswer } from "./remember/remember.ts";
import { assertCanRetrieve, type RetrieveParts, retrievePassages } from "./retrieve/retrieve.ts";
import type { Store } from "./store/store.ts";
import { createTrace } from "./trace.ts";
import type { Answer, AskRequest, CheckResult, Claim, Evidence, Quote, Refusal, Warning } from "./types.ts";
import { decide } from "./verify/decide.ts";
import { explainRefusal, mentions, type RefusalParts } from "./verify/refusal.ts";
import { verifyPassages } from "./verify/verify.ts";
import { chooseQuotes } from "./write/compress.ts";
import { routeModel } from "./write/route.ts";
import { createAnswerSheet } from "./write/sheet.ts";
import { fitBudget, planDrafts, type WriteOutcome } from "./write/write.ts";

/** Everything that a question passes through, wired by `createEngine`. */
export interface AnswerParts extends RetrieveParts {
  readonly store: Store;
  readonly profile: Profile;
  readonly models: { readonly small: ChatModel; readonly large: ChatModel } | null;
  readonly cache: CacheScope;
  readonly remember: RememberSettings;
  readonly check: Omit<CheckContext, "settings">;
  readonly refusal: Omit<RefusalParts, "words">;
  readonly hotlines: readonly { readonly name: string; readonly text: string; readonly when: readonly string[] }[];
  readonly complexWords: readonly string[];
  readonly maxCharacters: number;
  /** Tokens of a text; only asked when a model writes. */
  readonly loadTokenCounter: () => Promise<(text: string) => number>;
  readonly createId: () => string;
  /** Milliseconds, monotonic. */
  readonly clock: () => number;
}

/** Candidates that the writers choose from. */
const QUOTE_CANDIDATES = 12;
/** Characters of one quote in an answer; a longer sentence is not taken. */
const QUOTE_CHARACTERS = 1200;

/**
 * The path of a question, top to bottom (DESIGN.md, section 3). Sentences are yielded after their check and never change; `answer` is last.
 * @throws SourceboundError when the question cannot be admitted or the profile cannot run; refusing is an answer, not an error
 */
export async function* answer(request: AskRequest, parts: AnswerParts, signal: AbortSignal): AsyncGenerator<AnswerEvent, void> {
  const { profile, store } = parts;
  const trace = createTrace(parts.clock);
  const checking: CheckContext = { ...parts.check, settings: profile.check };
  assertCanRetrieve(profile.name, profile.retrieve, parts.encoder);

  const question = yield* trace.stage("admit", async ({ fact, notice }) => {
    const { sessionId, scope } = request;
    const history = sessionId === null ? [] : await store.sessions.turns(sessionId, scope, profile.sessionTurns);
    const admitted = admitQuestion(request, history, { maxCharacters: parts.maxCharacters });
    fact("history", history.length);
    fact("injection_signals", admitted.injectionSignals.join(",") || null);
    if (history.length > 0) notice("not_built", "follow-up questions are not rewritten yet: ask in full");
    for (const { stage, what } of profile.unbuilt) notice("not_built", `${stage}: ${what}`);
    return admitted;
  });
  const warnings: Warning[] = parts.hotlines
    .filter(({ when }) => mentions(question.text, when))
    .map(({ text }) => ({ code: "hotline", message: text }));
  for (const warning of warnings) yield { type: "warning", warning };

  const cacheKey = exactCacheKey(question, parts.cache);
  const hit = yield* trace.stage("lookup", async ({ fact }) => {
    const usable = parts.remember.cache.enabled && profile.caches.includes("exact") && question.history.length === 0;
    const recheck = (cached: Answer) => recheckAnswer(cached, checking);
    const found = usable ? await lookupExact(cacheKey, question, { cache: store.cache, documents: store.documents, recheck }) : null;
    fact("cache_mode", found === null ? "miss" : "exact");
    return found;
  });

  const sheet = createAnswerSheet();
  const outcome: WriteOutcome = { writer: "", insufficient: false, usage: { inputTokens: null, outputTokens: null }, warnings: [] };
  const claims: Claim[] = [];
  const checks: CheckResult[] = [];
  let evidence: readonly Evidence[] = [];
  let refusal: Refusal | null = null;
  let confidence: number | null = null;
  let calibrated = false;

  if (hit === null) {
    const found = yield* trace.stage("retrieve", async ({ fact, notice }) => {
      const retrieved = await retrievePassages(question, profile.retrieve, parts, signal);
      fact("passages", retrieved.passages.length);
      fact("ranking", retrieved.dense ? (profile.retrieve.bm25 ? "hybrid" : "dense") : "bm25");
      if (retrieved.denseFailure !== null) notice("dense_failed", `ranked by words alone: ${retrieved.denseFailure}`);
      return retrieved;
    });
    if (found.denseFailure !== null)
      warnings.push({ code: "dense_failed", message: "The encoder could not be reached; passages were ranked by words alone." });

    evidence = yield* trace.stage("verify", ({ fact }) => {
      const judged = verifyPassages(question, found.passages, profile.gate, parts.corpus);
      for (const verdict of ["verified", "uncertain", "rejected"] as const)
        fact(verdict, judged.filter((one) => one.verdict === verdict).length);
      return judged;
    });

    const decision = yield* trace.stage("decide", ({ fact }) => {
      const made = decide(question.injectionSignals.length > 0 ? [] : evidence, profile.gate);
      fact("answer", made.answer);
      fact("confidence", made.confidence);
      fact("calibrated", made.calibrated);
      return question.injectionSignals.length > 0 ? { ...made, reason: "injection" as const } : made;
    });
    ({ confidence, calibrated } = decision);
    for (const warning of decision.warnings) {
      warnings.push(warning);
      yield { type: "warning", warning };
    }

    if (decision.answer) {
      const { candidates, quotes, model } = yield* trace.stage("compress", async ({ fact }) => {
        const chosen = chooseQuotes(question.resolved, decision.usable, parts.corpus, {
          limit: QUOTE_CANDIDATES,
          maxCharacters: QUOTE_CHARACTERS,
        });
        const routed =
          parts.models === null || profile.write.writer === "extractive"
            ? null
            : parts.models[routeModel(profile.write.route, routeFacts(question.resolved, decision.usable, parts))];
        const fitting = routed === null ? [] : fitBudget(chosen, profile.write, await parts.loadTokenCounter());
        fact("candidates", chosen.length);
        fact("model", routed?.id ?? "extractive");
        return { candidates: chosen, quotes: fitting, model: routed };
      });

      yield { type: "write-start" };
      const started = trace.elapsed();
      const plan = planDrafts(
        question,
        candidates,
        quotes,
        outcome,
        { model, settings: profile.write, parseMarkers, describeError: messageOf },
        signal,
      );
      for (const drafts of plan) {
        for await (const draft of drafts()) {
          if (draft.quotes.length > 0 && sheet.sentences.some(({ text }) => text === draft.text)) continue;
          const checked = checkSentence(draft.text, draft.quotes.map(citedQuote), checking);
          const index = checked.kept ? sheet.sentences.length : null;
          checks.push(...checked.results.map((result) => ({ ...result, sentence: index })));
          if (!checked.kept) continue;
          const shown = sheet.add(checked.text, draft.quotes);
          claims.push({
            sentence: shown.index,
            text: checked.text,
            status: checked.status,
            citations: shown.sentence.citations,
            reason: checked.reason,
          });
          yield { type: "sentence", ...shown };
        }
        if (outcome.insufficient || (sheet.sentences.length > 0 && outcome.warnings.length === 0)) break;
        if (drafts !== plan.at(-1) && outcome.warnings.length === 0) {
          outcome.warnings.push({
            code: "model_unusable",
            message: "Nothing that the model wrote stood up to the checks; what follows is quoted from the sources.",
          });
        }
      }
      trace.timings.write = trace.elapsed() - started;
      yield { type: "write-end", ms: trace.timings.write, facts: { sentences: sheet.sentences.length, writer: outcome.writer } };
      for (const warning of outcome.warnings) {
        warnings.push(warning);
        yield { type: "warning", warning };
      }
      checks.push(...(yield* trace.stage("check", () => checkAnswer(sheet.sentences, claims, profile.check))));
    }
    if (sheet.sentences.length === 0) {
      const reason = decision.reason ?? "not_reliable";
      const sentence = decision.answer && !outcome.insufficient ? profile.write.unreliable : profile.write.refusal;
      refusal = explainRefusal(question, reason, sentence, evidence, await store.documents.counts(question.scope), {
        ...parts.refusal,
        words: parts.corpus,
      });
    }
  } else {
    for (const [index, sentence] of hit.sentences.entries()) {
      yield { type: "sentence", index, sentence, citations: hit.citations.filter(({ n }) => sentence.citations.includes(n)) };
    }
  }

  const { inputTokens, outputTokens } = outcome.usage;
  const written = (inputTokens ?? 0) + (outputTokens ?? 0);
  const result: Answer = {
    ...(hit ?? {
      status: refusal === null ? "ok" : "insufficient_context",
      domain: question.scope.domain,
      profile: profile.name,
      sentences: sheet.sentences,
      confidence,
      confidenceCalibrated: calibrated,
      claims,
      citations: sheet.citations,
      evidence,
      conflicts: [],
      checks,
      refusal,
      model: outcome.writer === "" ? "none" : outcome.writer,
    }),
    id: parts.createId(),
    question: question.text,
    warnings,
    cacheMode: hit === null ? "miss" : "exact",
    tokenUsage: { compression: 0, answer: written, total: written },
    costUsd: 0,
    timings: trace.timings,
    latencyMs: trace.elapsed(),
    sessionId: question.sessionId,
  };
  yield* trace.stage("remember", async ({ fact }) => {
    const { cached } = await rememberAnswer(question, result, question.history.length === 0 ? cacheKey : null, store, parts.remember);
    fact("cached", cached);
  });
  yield { type: "answer", answer: { ...result, latencyMs: trace.elapsed() } };
}

function citedQuote({ passage, start, end, text }: Quote): CitedQuote {
  const exact = passage.text.slice(start - passage.range.start, end - passage.range.start) === text;
  return { text, url: passage.document.url, exact };
}

/** A cached answer is served only if today's checks find nothing to change in it; its quotes have been compared before. */
function recheckAnswer({ sentences, citations }: Answer, checking: CheckContext): boolean {
  return sentences.every((sentence) => {
    const cited = citations.filter(({ n }) => sentence.citations.includes(n)).map(({ quote, url }) => ({ text: quote, url, exact: true }));
    const checked = checkSentence(sentence.text, cited, checking);
    return checked.kept && checked.text === sentence.text && checked.results.every(({ verdict }) => verdict === "pass");
  });
}

function routeFacts(question: string, usable: readonly Evidence[], { complexWords }: AnswerParts) {
  const cosines = usable.flatMap(({ passage }) => passage.scores.dense ?? []);
  return {
    complexTerms: complexWords.filter((word) => mentions(question, [word])).length,
    passages: usable.length,
    meanSimilarity: cosines.length === 0 ? null : cosines.reduce((sum, one) => sum + one, 0) / cosines.length,
  };
}
