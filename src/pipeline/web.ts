import { askWeb, type WebOutcome, withWebVerdicts } from "../evidence/web.ts";
import type { Profile } from "../profiles/profile.ts";
import type { AnswerEvent } from "../shared/events.ts";
import type { Conflict, Evidence, Question, Warning, WebEvidence } from "../shared/types.ts";
import type { PipelineContext } from "./context.ts";
import type { Trace } from "./trace.ts";
import { amongKept } from "./verify.ts";

/** A question with its evidence; `usable`: the evidence for the answer, once decided. */
interface Judged {
  readonly question: Question;
  readonly evidence: readonly Evidence[];
  readonly conflicts: readonly Conflict[];
  readonly usable: readonly Evidence[];
}

/** Evidence and conflicts after the web search. */
interface WebFindings extends Pick<Judged, "evidence" | "conflicts"> {
  readonly web: readonly WebEvidence[];
  readonly warnings: readonly Warning[];
}

/**
 * Checks uncertain passages on the web, if the profile does so at this point and a search is configured; `null`: not searched. Web failures
 * never fail the question. With `decides`, verdicts change; with `attaches`, only usable passages are checked and their verdicts stay.
 */
export async function* consultWeb(
  when: NonNullable<Profile["web"]>,
  { question, evidence, conflicts, usable }: Judged,
  context: PipelineContext,
  { trace, signal }: { readonly trace: Trace; readonly signal: AbortSignal },
): AsyncGenerator<AnswerEvent, WebFindings | null> {
  const { profile, web, corpus } = context;
  if (profile.web !== when) return null;
  const candidates = when === "decides" ? evidence : usable;
  const uncertain = candidates.filter(({ verdict }) => verdict === "uncertain").sort((a, b) => b.score - a.score);
  if (uncertain.length === 0) return null;
  const off = await whyNot(question, context);
  if (off !== null || web === null) {
    const message = `${count(uncertain.length)} not checked on the web: ${off}`;
    if (when === "decides") yield { type: "notice", stage: "verify", code: "web_off", message: `${message}; they are not used` };
    return null;
  }
  const asked = yield* trace.stage("web", async (log) => {
    const passages = uncertain.slice(0, web.passages).map(({ passage }) => passage);
    const { asked: tokens } = await corpus.understand(question, profile.retrieve.query);
    const said = await askWeb(question, tokens, passages, await corpus.wordsIn(question.scope), web, signal);
    log.fact("service", web.search.id);
    log.fact("passages", passages.length);
    log.fact("pages", said.pages);
    for (const verdict of ["confirmed", "contradicted", "silent"] as const)
      log.fact(verdict, said.evidence.filter((one) => one.verdict === verdict).length);
    if (uncertain.length > passages.length)
      log.notice("web_limit", `${count(uncertain.length - passages.length)} not looked up: limit reached`);
    for (const page of said.unread) log.notice("web_page", `Web page not read: ${page}`);
    for (const failure of said.failures) log.notice("web_failed", failure);
    return said;
  });
  if (when !== "decides") return { web: asked.evidence, evidence, conflicts, warnings: contradictions(asked.evidence) };
  const judged = withWebVerdicts(evidence, asked.evidence);
  return { web: asked.evidence, evidence: judged, conflicts: amongKept(conflicts, judged), warnings: failureWarnings(asked) };
}

/** Returns why the web is not searched; `null`: it is. Emergencies and messages with injection signals are never sent. */
async function whyNot(question: Question, { web, hotlines }: PipelineContext): Promise<string | null> {
  if (web === null) return "no web search is configured (`web_search`)";
  if (web.hosts.length === 0) return "the domain pack lists no hosts (`web.hosts`)";
  if (question.injectionSignals.length > 0) return "the question contains instructions";
  // A resolved follow-up includes words of earlier turns, so check both texts.
  for (const text of [question.text, question.resolved]) if ((await hotlines(text)).length > 0) return "the question is an emergency";
  return null;
}

function failureWarnings({ failures }: WebOutcome): Warning[] {
  return failures.map((why) => ({
    code: "web_failed",
    message: `Uncertain passages could not be checked on the web and are not used: ${why}`,
  }));
}

/** Warns about contradictions: the web is no source of the answer, but the reader must know. */
function contradictions(web: readonly WebEvidence[]): Warning[] {
  return web
    .filter(({ verdict }) => verdict === "contradicted")
    .flatMap(({ pages }) => pages.slice(0, 1))
    .map(({ claim, quote, title, url, retrievedAt }) => ({
      code: "web_contradicts",
      message: `The web contradicts the documents. Documents: "${claim}" Web: "${quote}" (${title}, ${url}, retrieved on ${retrievedAt.slice(0, 10)}). Check both.`,
    }));
}

function count(passages: number): string {
  return passages === 1 ? "1 uncertain passage was" : `${passages} uncertain passages were`;
}
