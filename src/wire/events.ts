import type { AnswerEvent } from "../events.ts";
import type { WireAnswer, WireCitation, WireWarning } from "./answer.ts";
import { answerToWire, citationToWire, warningToWire } from "./answer-to-wire.ts";
import type { WireError } from "./errors.ts";

/** One Server-Sent Event: `event: NAME`, `data: JSON`. */
export type WireEvent =
  | { readonly event: "stage"; readonly data: { stage: string; phase: "start" | "end"; ms?: number; facts?: Record<string, unknown> } }
  | { readonly event: "notice"; readonly data: { stage: string; code: string; message: string } }
  | { readonly event: "warning"; readonly data: WireWarning }
  | { readonly event: "sentence"; readonly data: { index: number; text: string; citations: WireCitation[] } }
  | { readonly event: "answer"; readonly data: WireAnswer }
  | { readonly event: "error"; readonly data: WireError["error"] };

/** An event as it travels. */
export function eventToWire(event: AnswerEvent): WireEvent {
  switch (event.type) {
    case "notice":
      return { event: "notice", data: { stage: event.stage, code: event.code, message: event.message } };
    case "warning":
      return { event: "warning", data: warningToWire(event.warning) };
    case "sentence":
      return {
        event: "sentence",
        data: { index: event.index, text: event.sentence.text, citations: event.citations.map(citationToWire) },
      };
    case "answer":
      return { event: "answer", data: answerToWire(event.answer) };
    default: {
      const [stage, phase] = splitStage(event.type);
      if ("ms" in event) return { event: "stage", data: { stage, phase, ms: event.ms, facts: { ...event.facts } } };
      return { event: "stage", data: { stage, phase } };
    }
  }
}

function splitStage(type: `${string}-start` | `${string}-end`): [string, "start" | "end"] {
  const at = type.lastIndexOf("-");
  return [type.slice(0, at), type.endsWith("-start") ? "start" : "end"];
}
