import { type DBSchema, openDB } from "idb";
import type { Conversation, Turn } from "./state.ts";

/** A conversation in the list of conversations, without its turns. */
export interface ConversationEntry {
  readonly id: string;
  readonly owner: string;
  readonly title: string;
  /** Milliseconds since 1970. */
  readonly updatedAt: number;
  readonly turns: number;
  /** Text that the search looks at: questions and answers in lower case. */
  readonly text: string;
}

export type Archive = ReturnType<typeof openArchive>;

interface Tables extends DBSchema {
  entries: { key: string; value: ConversationEntry; indexes: { owner: string } };
  conversations: { key: string; value: { readonly id: string; readonly owner: string; readonly conversation: Conversation } };
}

/** Maximum number of characters per conversation that can be searched. */
const SEARCHED_CHARACTERS = 1_000_000;

/**
 * Opens the store of conversations in this browser. A conversation stays until the user deletes it, even after its session
 * on the server has expired.
 */
export function openArchive(now: () => number = Date.now) {
  const opening = openDB<Tables>("sourcebound", 1, {
    upgrade(db) {
      db.createObjectStore("entries", { keyPath: "id" }).createIndex("owner", "owner");
      db.createObjectStore("conversations", { keyPath: "id" });
    },
  });
  // Prevent an unhandled rejection in browsers without storage. The methods report the error.
  opening.catch(() => {});
  return {
    /** Returns the conversations of an owner, newest first. */
    async list(owner: string): Promise<ConversationEntry[]> {
      const entries = await (await opening).getAllFromIndex("entries", "owner", owner);
      return entries.sort((a, b) => b.updatedAt - a.updatedAt);
    },
    async load(id: string, owner: string): Promise<Conversation | null> {
      const found = await (await opening).get("conversations", id);
      return found === undefined || found.owner !== owner ? null : found.conversation;
    },
    async save(id: string, owner: string, conversation: Conversation): Promise<void> {
      const entry = { ...describe(conversation), id, owner, updatedAt: now() };
      const transaction = (await opening).transaction(["entries", "conversations"], "readwrite");
      await Promise.all([
        transaction.objectStore("entries").put(entry),
        transaction.objectStore("conversations").put({ id, owner, conversation }),
        transaction.done,
      ]);
    },
    async delete(ids: readonly string[]): Promise<void> {
      const transaction = (await opening).transaction(["entries", "conversations"], "readwrite");
      const stores = [transaction.objectStore("entries"), transaction.objectStore("conversations")];
      await Promise.all([...ids.flatMap((id) => stores.map((store) => store.delete(id))), transaction.done]);
    },
  };
}

function describe({ turns }: Conversation): Pick<ConversationEntry, "title" | "turns" | "text"> {
  const text = turns.map(({ question, sentences }) => [question, ...sentences.map((one) => one.text)].join("\n")).join("\n");
  return { title: turns[0]?.question ?? "", turns: turns.length, text: text.slice(0, SEARCHED_CHARACTERS).toLowerCase() };
}

/** Returns the entries that contain every typed word, in the same order. */
export function findConversations(entries: readonly ConversationEntry[], typed: string): readonly ConversationEntry[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return entries.filter(({ text }) => words.every((word) => text.includes(word)));
}

/**
 * Returns the turns in the form in which they are stored. A running turn becomes an interrupted one, because the page may be
 * closed before its end.
 */
export function asStored(turns: readonly Turn[]): readonly Turn[] {
  return turns.map((turn) => (turn.status.type === "running" ? { ...turn, status: { type: "interrupted" } } : turn));
}
