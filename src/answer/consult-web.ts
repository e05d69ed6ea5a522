import type { AnswerEvent } from "../events.ts";
import type { Profile } from "../profiles/profile.ts";
import type { Question, Warning, WebEvidence } from "../types.ts";
import { askWeb, type WebOutcome, withWebVerdicts } from "../verify/web.ts";
import { type Outcome, warn } from "./outcome.ts";
import type { AnswerParts } from "./steps.ts";
import type { Trace } from "./trace.ts";

/**
 * Looks uncertain passages up on the web, where the profile does so at this point and a search is configured. A fault of the web never fails the question.
 * Where the web decides, verdicts change before anything is written; else only passages that the answer may use are looked up, and what the web says stands
 * beside it.
 */
export async function* consultWeb(
  when: NonNullable<Profile["web"]>,
  question: Question,
  outcome: Outcome,
  parts: AnswerParts,
  trace: Trace,
  signal: AbortSignal,
): AsyncGenerator<AnswerEvent, void> {
  const { profile, web, corpus } = parts;
  if (profile.web !== when) return;
  const candidates = when === "decides" ? outcome.evidence : outcome.decision.usable;
  const uncertain = candidates.filter(({ verdict }) => verdict === "uncertain").sort((a, b) => b.score - a.score);
  if (uncertain.length === 0) return;
  const off = whyNot(question, parts);
  if (off !== null || web === null) {
    const message = `${count(uncertain.length)} not checked on the web: ${off}`;
    if (when === "decides") yield { type: "notice", stage: "verify", code: "web_off", message: `${message}; they are not used` };
    return;
  }
  const asked = yield* trace.stage("web", async (log) => {
    const passages = uncertain.slice(0, web.passages).map(({ passage }) => passage);
    const tokens = corpus.understand(question, profile.retrieve.query).asked;
    const said = await askWeb(question, tokens, passages, corpus, web, signal);
    log.fact("service", web.search.id);
    log.fact("passages", passages.length);
    log.fact("pages", said.pages);
    for (const verdict of ["confirmed", "contradicted", "silent"] as const)
      log.fact(verdict, said.evidence.filter((one) => one.verdict === verdict).length);
    if (uncertain.length > passages.length) log.notice("web_limit", `${count(uncertain.length - passages.length)} not looked up`);
    for (const page of said.unread) log.notice("web_page", `not read: ${page}`);
    for (const failure of said.failures) log.notice("web_failed", failure);
    return said;
  });
  outcome.web = asked.evidence;
  if (when === "decides") {
    outcome.evidence = withWebVerdicts(outcome.evidence, asked.evidence);
    const rejected = new Set(outcome.evidence.filter(({ verdict }) => verdict === "rejected").map(({ passage }) => passage.sid));
    outcome.conflicts = outcome.conflicts.filter(({ sides }) => sides.every(({ sid }) => !rejected.has(sid)));
  }
  yield* warn(outcome, when === "decides" ? failureWarnings(asked) : contradictions(asked.evidence));
}

/** Words of an earlier turn are part of what a follow-up is read as, and would leave the machine with it. */
function isEmergency({ text, resolved }: Question, { hotlines }: AnswerParts): boolean {
  return hotlines(text).length > 0 || hotlines(resolved).length > 0;
}

/** Why the web is not asked this question; `null`: it is. What tells of an emergency or gives orders is sent nowhere. */
function whyNot(question: Question, parts: AnswerParts): string | null {
  if (parts.web === null) return "no web search is configured (`web_search`)";
  if (parts.web.hosts.length === 0) return "the domain pack lists no hosts (`web.hosts`)";
  if (question.injectionSignals.length > 0) return "the question gives orders";
  return isEmergency(question, parts) ? "the question is an emergency" : null;
}

function failureWarnings({ failures }: WebOutcome): Warning[] {
  return failures.map((why) => ({
    code: "web_failed",
    message: `Uncertain passages could not be checked on the web and are not used: ${why}`,
  }));
}

/** The web is no source of the answer; that it says otherwise must not go unsaid. */
function contradictions(web: readonly WebEvidence[]): Warning[] {
  return web
    .filter(({ verdict }) => verdict === "contradicted")
    .flatMap(({ pages }) => pages.slice(0, 1))
    .map(({ claim, quote, title, url, retrievedAt }) => ({
      code: "web_contradicts",
      message: `The web says otherwise. The documents: "${claim}" The web: "${quote}" (${title}, ${url}, read on ${retrievedAt.slice(0, 10)}). Check both.`,
    }));
}

function count(passages: number): string {
  return passages === 1 ? "1 uncertain passage was" : `${passages} uncertain passages were`;
}
