import type { SourceMapData, TextRange } from "../../types.ts";

/** A value of JSON or YAML with its place in the source. */
export type SourceValue = ScalarValue | ListValue | RecordValue;

export interface ScalarValue extends TextRange {
  readonly type: "scalar";
  /** As it is read: strings decoded, anything else as it is written. */
  readonly text: string;
  readonly isText: boolean;
  /** From `text` to the source. */
  readonly map: SourceMapData;
}

export interface ListValue extends TextRange {
  readonly type: "list";
  readonly items: readonly SourceValue[];
}

export interface RecordValue extends TextRange {
  readonly type: "record";
  /** Of equal keys the last counts. */
  readonly fields: readonly (readonly [ScalarValue, SourceValue])[];
}

/** The field's value; `undefined` when there is none. */
export function fieldOf(record: RecordValue, name: string): SourceValue | undefined {
  return record.fields.findLast(([key]) => key.text === name)?.[1];
}

/** The field's text if it is a scalar that is not empty. */
export function textOfField(record: RecordValue, name: string): string | null {
  const value = fieldOf(record, name);
  return value?.type === "scalar" && value.text.trim() !== "" ? value.text.trim() : null;
}
