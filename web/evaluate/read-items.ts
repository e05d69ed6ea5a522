/** A judged question, as far as the room shows it. */
export interface RunItem {
  readonly id: string;
  readonly question: string;
  readonly kind: string;
  readonly shown: boolean;
  readonly right: boolean;
  readonly confidence: number | null;
  readonly refusal: string | null;
  readonly text: string;
  /** Values that the right answer has and this one lacks. */
  readonly lacks: readonly string[];
}

/** Judged questions out of a report; what is not one is left out. */
export function readItems(items: readonly Readonly<Record<string, unknown>>[]): RunItem[] {
  return items.flatMap((item) => {
    const { id, question, kind, shown, right, confidence, refusal, sentences, lacks } = item;
    if (typeof id !== "string" || typeof question !== "string" || typeof kind !== "string") return [];
    return [
      {
        ...{ id, question, kind, shown: shown === true, right: right === true },
        confidence: typeof confidence === "number" ? confidence : null,
        refusal: typeof refusal === "string" ? refusal : null,
        text: Array.isArray(sentences) ? sentences.map(textOf).join(" ") : "",
        lacks: Array.isArray(lacks) ? lacks.filter((one) => typeof one === "string") : [],
      },
    ];
  });
}

function textOf(sentence: unknown): string {
  return typeof sentence === "object" && sentence !== null && "text" in sentence && typeof sentence.text === "string" ? sentence.text : "";
}
