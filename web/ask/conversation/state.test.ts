import { describe, expect, it } from "vitest";
import type { StreamEvent, WireCitation } from "../../../src/client/index.ts";
import { eventsOf, sampleAnswer, sampleCitation } from "../../../src/testing/answers.ts";
import { eventToWire } from "../../../src/wire/index.ts";
import { asStored, type ConversationEntry, findConversations } from "./archive.ts";
import { type Conversation, type ConversationAction, EMPTY_CONVERSATION, reduceConversation } from "./state.ts";

const passage = { title: "T", url: null, asOf: null, headingPath: [], path: "t.md", context: "One. Two." };
const answer = sampleAnswer({
  question: "q",
  sentences: [
    { text: "Two.", citations: [1] },
    { text: "One.", citations: [2, 1] },
  ],
  citations: [sampleCitation(1, passage, "Two."), sampleCitation(2, passage, "One.")],
  warnings: [{ code: "w", message: "Careful." }],
});
const events = [...eventsOf(answer)].map(eventToWire) as StreamEvent[];

function play(actions: readonly ConversationAction[], from: Conversation = EMPTY_CONVERSATION): Conversation {
  return actions.reduce(reduceConversation, from);
}

const asked = { type: "asked", id: 1, question: "q" } as const;
const event = (data: StreamEvent): ConversationAction => ({ type: "event", id: 1, event: data });

describe("the conversation", () => {
  it("shows sentences as they arrive, each citation once in order, and ends with the answer and its session", () => {
    const beforeEnd = play([asked, ...events.slice(0, -1).map(event)]);
    expect(beforeEnd.turns[0]?.sentences).toEqual([
      { text: "Two.", citations: [1] },
      { text: "One.", citations: [2, 1] },
    ]);
    expect(beforeEnd.turns[0]?.citations.map(({ n }) => n)).toEqual([1, 2]);
    expect(beforeEnd.turns[0]?.status).toEqual({ type: "running", stage: "check" });
    const ended = play(events.slice(-1).map(event), beforeEnd);
    expect(ended.turns[0]?.status.type).toBe("answered");
    expect(ended.sessionId).toBe("session-1");
  });

  it("reports a final answer that differs from the stream", () => {
    const other: StreamEvent = { event: "sentence", data: { index: 0, text: "Three.", citations: [] as WireCitation[] } };
    const ended = play([asked, event(other), ...events.slice(-1).map(event)]);
    expect(ended.turns[0]?.warnings.map(({ code }) => code)).toEqual(["w", "stream_differs"]);
    expect(ended.turns[0]?.sentences.map(({ text }) => text)).toEqual(["Two.", "One."]);
  });

  it("shows a warning once that arrives as an event and in the answer", () => {
    const warning: StreamEvent = { event: "warning", data: { code: "w", message: "Careful." } };
    const ended = play([asked, event(warning), ...events.map(event)]);
    expect(ended.turns[0]?.warnings).toEqual([{ code: "w", message: "Careful." }]);
  });

  it("keeps its sentences when it stops or fails, and ignores later events", () => {
    const firstSentence = events.findIndex(({ event: name }) => name === "sentence");
    const shown = events.slice(0, firstSentence + 1).map(event);
    for (const end of [
      { type: "stopped", id: 1 },
      { type: "interrupted", id: 1 },
      { type: "failed", id: 1, failure: { code: "stream_cut", message: "Cut.", status: null } },
    ] as const) {
      const ended = play([asked, ...shown, end]);
      expect(ended.turns[0]?.sentences).toHaveLength(1);
      expect(ended.turns[0]?.status.type).toBe(end.type);
      expect(play(events.map(event), ended)).toBe(ended);
    }
  });

  it("forgets turns and session when cleared, and ignores events of a cleared turn", () => {
    const cleared = play([asked, ...events.map(event), { type: "cleared" }]);
    expect(cleared).toEqual(EMPTY_CONVERSATION);
    expect(play(events.map(event), cleared)).toBe(cleared);
  });
});

const entry = (id: string, text: string): ConversationEntry => ({ id, owner: "o", title: id, updatedAt: 0, turns: 1, text });

describe("finding conversations", () => {
  it("requires every word, in any case and order, and returns all without words", () => {
    const entries = [entry("a", "how long is a card valid?"), entry("b", "what does a lost card cost?")];
    expect(findConversations(entries, "CARD lost").map(({ id }) => id)).toEqual(["b"]);
    expect(findConversations(entries, "  ").map(({ id }) => id)).toEqual(["a", "b"]);
    expect(findConversations(entries, "zoo")).toEqual([]);
  });
});

describe("a stored conversation", () => {
  it("marks a running turn as interrupted when it is stored", () => {
    const { turns } = reduceConversation(EMPTY_CONVERSATION, { type: "asked", id: 1, question: "q" });
    expect(asStored(turns).map(({ status }) => status.type)).toEqual(["interrupted"]);
  });
});
