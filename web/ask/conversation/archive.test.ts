import { describe, expect, it } from "vitest";
import { asStored, type ConversationEntry, findConversations } from "./archive.ts";
import { EMPTY_CONVERSATION, reduceConversation } from "./state.ts";

const entry = (id: string, text: string): ConversationEntry => ({ id, owner: "o", title: id, updatedAt: 0, turns: 1, text });

describe("finding conversations", () => {
  it("wants every word, in any case and order, and gives all for none", () => {
    const entries = [entry("a", "how long is a card valid?"), entry("b", "what does a lost card cost?")];
    expect(findConversations(entries, "CARD lost").map(({ id }) => id)).toEqual(["b"]);
    expect(findConversations(entries, "  ").map(({ id }) => id)).toEqual(["a", "b"]);
    expect(findConversations(entries, "zoo")).toEqual([]);
  });
});

describe("a stored conversation", () => {
  it("calls interrupted what was running when it was stored: nobody stopped it", () => {
    const { turns } = reduceConversation(EMPTY_CONVERSATION, { type: "asked", id: 1, question: "q" });
    expect(asStored(turns).map(({ status }) => status.type)).toEqual(["interrupted"]);
  });
});
