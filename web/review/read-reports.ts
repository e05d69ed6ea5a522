/** Reports of one topic together. */
export interface Topic {
  /** `null`: questions without a topic. */
  readonly slug: string | null;
  readonly name: string;
  readonly reports: number;
  readonly refused: number;
  readonly confidence: number | null;
  /** What was asked for and stands in no passage that was found. */
  readonly missing: readonly string[];
  readonly advice: readonly string[];
}

export interface Report {
  readonly id: string;
  readonly interactionId: string;
  readonly question: string;
  readonly reason: string | null;
  readonly confidence: number | null;
  readonly createdAt: string;
  readonly advice: readonly string[];
}

export interface ReadReports {
  readonly total: number;
  readonly topics: readonly Topic[];
  readonly reports: readonly Report[];
}

/** `GET /v1/reports`, as far as the room shows it; what has another shape is left out. */
export function readReports(body: unknown): ReadReports {
  const { total, topics, items } = fieldsOf(body);
  return {
    total: numberOf(total) ?? 0,
    topics: listOf(topics).map((one) => {
      const { topic, name, reports, refused, mean_confidence: confidence, missing, recommendations } = fieldsOf(one);
      return {
        slug: textOf(topic),
        name: textOf(name) ?? textOf(topic) ?? "no topic",
        reports: numberOf(reports) ?? 0,
        refused: numberOf(refused) ?? 0,
        confidence: numberOf(confidence),
        missing: textsOf(missing, "text"),
        advice: textsOf(recommendations, "text"),
      };
    }),
    reports: listOf(items).flatMap((one) => {
      const { id, interaction_id: interactionId, question, created_at: createdAt, report } = fieldsOf(one);
      const { refusal, confidence, recommendations } = fieldsOf(report);
      if (typeof id !== "string" || typeof interactionId !== "string") return [];
      return [
        {
          ...{ id, interactionId, question: textOf(question) ?? "", createdAt: textOf(createdAt) ?? "" },
          ...{ reason: textOf(refusal), confidence: numberOf(confidence), advice: textsOf(recommendations, "text") },
        },
      ];
    }),
  };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textsOf(value: unknown, field: string): string[] {
  return listOf(value).flatMap((one) => textOf(fieldsOf(one)[field]) ?? []);
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function numberOf(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}
