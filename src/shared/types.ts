/** The terms of the glossary (DESIGN.md) as plain data types. Offsets are UTF-16 code units into the normalised text. */

export type * from "./types/answer.ts";
export type * from "./types/document.ts";
export type * from "./types/evidence.ts";
export type * from "./types/question.ts";
