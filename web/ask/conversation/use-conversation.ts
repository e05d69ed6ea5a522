import { useCallback, useEffect, useReducer, useRef } from "react";
import { type Client, ClientError } from "../../../src/client/index.ts";
import { type Conversation, EMPTY_CONVERSATION, type Failure, reduceConversation } from "./state.ts";

export interface ConversationControls {
  readonly conversation: Conversation;
  readonly running: boolean;
  ask(question: string): void;
  stop(): void;
  clear(): void;
}

/** One conversation with the server: at most one question runs at a time. */
export function useConversation(client: Client): ConversationControls {
  const [conversation, dispatch] = useReducer(reduceConversation, EMPTY_CONVERSATION);
  const current = useRef<{ id: number; abort: AbortController } | null>(null);
  const lastId = useRef(0);
  const { sessionId, turns } = conversation;

  const ask = useCallback(
    async (question: string) => {
      if (current.current !== null) return;
      lastId.current += 1;
      const id = lastId.current;
      const abort = new AbortController();
      current.current = { id, abort };
      dispatch({ type: "asked", id, question });
      try {
        const request = sessionId === null ? { question } : { question, session_id: sessionId };
        for await (const event of client.stream(request, { signal: abort.signal })) dispatch({ type: "event", id, event });
      } catch (error) {
        dispatch(abort.signal.aborted ? { type: "stopped", id } : { type: "failed", id, failure: toFailure(error) });
      } finally {
        if (current.current?.id === id) current.current = null;
      }
    },
    [client, sessionId],
  );

  const stop = useCallback(() => {
    if (current.current === null) return;
    const { id, abort } = current.current;
    current.current = null;
    dispatch({ type: "stopped", id });
    abort.abort();
  }, []);

  const clear = useCallback(() => {
    stop();
    dispatch({ type: "cleared" });
  }, [stop]);

  useEffect(() => stop, [stop]);
  return { conversation, running: turns.at(-1)?.status.type === "running", ask, stop, clear };
}

function toFailure(error: unknown): Failure {
  if (error instanceof ClientError) return { code: error.code, message: error.message, status: error.status };
  return { code: "page_failed", message: error instanceof Error ? error.message : String(error), status: null };
}
