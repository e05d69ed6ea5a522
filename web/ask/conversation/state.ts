import type { StreamEvent, WireAnswer, WireAskRequest, WireCitation, WireWarning } from "../../../src/client/index.ts";
import type { Failure } from "../../app/api.ts";

/** A sentence as it was shown. It never changes, but the final answer may replace the whole list. */
type ShownSentence = WireAnswer["sentences"][number];

export type StageRecord = Readonly<{ stage: string; ms: number; facts: Readonly<Record<string, unknown>> }>;

export type TurnStatus =
  | { readonly type: "running"; readonly stage: string | null }
  | { readonly type: "answered"; readonly answer: WireAnswer }
  | { readonly type: "stopped" }
  /** The page was left before the answer ended. */
  | { readonly type: "interrupted" }
  | { readonly type: "failed"; readonly failure: Failure };

/** Settings that are sent with a question. The server has defaults for absent ones. */
export type AskedHow = Pick<WireAskRequest, "domain" | "tenant" | "profile" | "write" | "detail" | "selection" | "filters">;

/** A question with its answer so far. */
export interface Turn {
  readonly id: number;
  readonly question: string;
  readonly asked: AskedHow;
  readonly status: TurnStatus;
  readonly sentences: readonly ShownSentence[];
  readonly citations: readonly WireCitation[];
  readonly notices: readonly { readonly code: string; readonly message: string }[];
  readonly warnings: readonly WireWarning[];
  readonly stages: readonly StageRecord[];
  /** True if the turn was asked before the page was loaded. Its documents may have changed since. */
  readonly isOld?: boolean;
}

export type Conversation = Readonly<{ turns: readonly Turn[]; sessionId: string | null }>;

export const EMPTY_CONVERSATION: Conversation = { turns: [], sessionId: null };

export type ConversationAction =
  | { readonly type: "asked"; readonly id: number; readonly question: string; readonly asked?: AskedHow }
  | { readonly type: "event"; readonly id: number; readonly event: StreamEvent }
  | { readonly type: "stopped" | "interrupted"; readonly id: number }
  | { readonly type: "failed"; readonly id: number; readonly failure: Failure }
  | { readonly type: "opened"; readonly conversation: Conversation }
  | { readonly type: "cleared" };

export function reduceConversation(state: Conversation, action: ConversationAction): Conversation {
  switch (action.type) {
    case "opened":
      return { ...action.conversation, turns: action.conversation.turns.map((turn) => ({ ...turn, isOld: true })) };
    case "cleared":
      return EMPTY_CONVERSATION;
    case "asked": {
      const { id, question, asked = {} } = action;
      const status = { type: "running", stage: null } as const;
      const turn = { id, question, asked, status, sentences: [], citations: [], notices: [], warnings: [], stages: [] };
      return { ...state, turns: [...state.turns, turn] };
    }
    case "stopped":
    case "interrupted":
      return changeTurn(state, action.id, (turn) => ({ ...turn, status: { type: action.type } }));
    case "failed":
      return changeTurn(state, action.id, (turn) => ({ ...turn, status: { type: "failed", failure: action.failure } }));
    case "event": {
      const next = changeTurn(state, action.id, (turn) => applyEvent(turn, action.event));
      const answered = action.event.event === "answer" && next !== state;
      return answered ? { ...next, sessionId: action.event.data.session_id ?? state.sessionId } : next;
    }
  }
}

/** Changes a turn that is still running. If it has ended or was removed, the event came too late and changes nothing. */
function changeTurn(state: Conversation, id: number, change: (turn: Turn) => Turn): Conversation {
  if (!state.turns.some((turn) => turn.id === id && turn.status.type === "running")) return state;
  return { ...state, turns: state.turns.map((turn) => (turn.id === id ? change(turn) : turn)) };
}

function applyEvent(turn: Turn, event: StreamEvent): Turn {
  switch (event.event) {
    case "stage": {
      const { stage, phase, ms, facts } = event.data;
      if (phase === "start") return { ...turn, status: { type: "running", stage } };
      return { ...turn, stages: [...turn.stages, { stage, ms: ms ?? 0, facts: facts ?? {} }] };
    }
    case "notice":
      return { ...turn, notices: [...turn.notices, event.data] };
    case "warning":
      return { ...turn, warnings: addWarnings(turn.warnings, [event.data]) };
    case "sentence": {
      const { index: _, citations, ...shown } = event.data;
      const sentence = { ...shown, citations: citations.map(({ n }) => n) };
      return { ...turn, sentences: [...turn.sentences, sentence], citations: addCitations(turn.citations, citations) };
    }
    case "answer":
      return finishTurn(turn, event.data);
  }
}

function finishTurn(turn: Turn, answer: WireAnswer): Turn {
  const isSame = turn.sentences.length === 0 || sameSentences(turn.sentences, answer.sentences);
  const message = "The final answer differs from the streamed text. The final answer is shown.";
  const warnings = addWarnings(turn.warnings, [...answer.warnings, ...(isSame ? [] : [{ code: "stream_differs", message }])]);
  const status = { type: "answered", answer } as const;
  return { ...turn, status, sentences: answer.sentences, citations: addCitations([], answer.citations), warnings };
}

function sameSentences(shown: readonly ShownSentence[], final: readonly ShownSentence[]): boolean {
  const comparable = (sentences: readonly ShownSentence[]) =>
    JSON.stringify(sentences.map(({ text, citations }) => [text, [...citations].sort((a, b) => a - b)]));
  return comparable(shown) === comparable(final);
}

function addCitations(known: readonly WireCitation[], more: readonly WireCitation[]): WireCitation[] {
  const byNumber = new Map([...known, ...more].map((citation) => [citation.n, citation]));
  return [...byNumber.values()].sort((a, b) => a.n - b.n);
}

function addWarnings(known: Turn["warnings"], more: Turn["warnings"]): Turn["warnings"] {
  const byText = new Map([...known, ...more].map((warning) => [`${warning.code} ${warning.message}`, warning]));
  return [...byText.values()];
}
