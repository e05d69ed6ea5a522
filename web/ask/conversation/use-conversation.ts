import { useCallback, useEffect, useReducer, useRef, useState } from "react";
import type { Client } from "../../../src/client/index.ts";
import { failureOf, messageOf } from "../../app/api.ts";
import { type Archive, asStored } from "./archive.ts";
import { type AskedHow, EMPTY_CONVERSATION, reduceConversation } from "./state.ts";

/** Runs a conversation, one question at a time, and stores it in the browser. */
export function useConversation(client: Pick<Client, "stream">, archive: Archive, owner: string) {
  const [conversation, dispatch] = useReducer(reduceConversation, EMPTY_CONVERSATION);
  const [id, setId] = useState(createId);
  // Number of times that the conversation was saved.
  const [saved, setSaved] = useState(0);
  // Why the browser could not store the conversation; `null`: no error.
  const [unkept, setUnkept] = useState<string | null>(null);
  const current = useRef<{ id: number; abort: AbortController } | null>(null);
  const { sessionId, turns } = conversation;
  const lastId = turns.at(-1)?.id ?? 0;
  const running = turns.at(-1)?.status.type === "running";

  const ask = useCallback(
    async (question: string, how: AskedHow = {}) => {
      if (current.current !== null) return;
      const turn = lastId + 1;
      const abort = new AbortController();
      current.current = { id: turn, abort };
      dispatch({ type: "asked", id: turn, question, asked: how });
      try {
        const request = { ...how, question, ...(sessionId === null ? {} : { session_id: sessionId }) };
        for await (const event of client.stream(request, { signal: abort.signal })) dispatch({ type: "event", id: turn, event });
      } catch (error) {
        dispatch(abort.signal.aborted ? { type: "stopped", id: turn } : { type: "failed", id: turn, failure: failureOf(error) });
      } finally {
        if (current.current?.abort === abort) current.current = null;
      }
    },
    [client, sessionId, lastId],
  );

  const end = useCallback((how: "stopped" | "interrupted") => {
    if (current.current === null) return;
    const { id: turn, abort } = current.current;
    current.current = null;
    dispatch({ type: how, id: turn });
    abort.abort();
  }, []);
  const stop = useCallback(() => end("stopped"), [end]);

  const clear = useCallback(() => {
    stop();
    setId(createId());
    dispatch({ type: "cleared" });
  }, [stop]);

  // Opens a stored conversation to continue it.
  const open = useCallback(
    async (other: string) => {
      const found = await archive.load(other, owner);
      if (found === null) return;
      stop();
      setId(other);
      dispatch({ type: "opened", conversation: found });
    },
    [archive, owner, stop],
  );

  const kept = useRef("");
  useEffect(() => {
    if (turns.length === 0) return;
    // Save after each question and each sentence, because the page may be closed at any time. A new stage alone is not saved.
    const shown = `${id} ${lastId} ${turns.at(-1)?.sentences.length}`;
    if (running && kept.current === shown) return;
    kept.current = shown;
    archive.save(id, owner, { turns: asStored(turns), sessionId }).then(
      () => {
        setUnkept(null);
        setSaved((before) => before + 1);
      },
      (error: unknown) => setUnkept(messageOf(error)),
    );
  }, [archive, owner, id, turns, sessionId, running, lastId]);

  useEffect(() => stop, [stop]);
  useEffect(() => {
    // When the user leaves the page, the browser cuts the connection, which would look like a server error. End the turn as
    // interrupted instead: the browser may restore the page later.
    const leave = () => end("interrupted");
    window.addEventListener("pagehide", leave);
    return () => window.removeEventListener("pagehide", leave);
  }, [end]);
  return { id, conversation, running, saved, unkept, ask, stop, clear, open };
}

/** Returns a random id. It does not use `crypto.randomUUID`, which exists only with TLS or on localhost. */
function createId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
