/** Parts of the retrieval stage; `words` and `vectors` lie within `search`. */
export type RetrievePart = "sync" | "understand" | "embed" | "search" | "words" | "vectors" | "rerank" | "load" | "deduplicate";

/** Runs one part and gives what it gives. */
export type TimePart = <T>(part: RetrievePart, run: () => T) => T;

export const untimed: TimePart = (_part, run) => run();
