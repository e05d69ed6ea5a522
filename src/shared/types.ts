/** The words of the glossary (DESIGN.md) as types. Plain data; offsets are UTF-16 code units into the normalised text. */

export type * from "./types/answer.ts";
export type * from "./types/document.ts";
export type * from "./types/evidence.ts";
export type * from "./types/question.ts";
