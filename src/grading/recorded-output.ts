import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { z } from "zod";
import type { Models, RecordedCall } from "../pipeline/context.ts";
import { playbackModels, recordModels } from "../pipeline/record.ts";
import { messageOf, RequestError } from "../shared/errors.ts";

const fileSchema = z.object({
  small: z.string(),
  large: z.string(),
  calls: z.array(
    z.object({
      model: z.string(),
      prompt: z.string(),
      text: z.string(),
      inputTokens: z.number().nullable(),
      outputTokens: z.number().nullable(),
      failure: z.object({ code: z.string(), message: z.string() }).nullable(),
    }),
  ),
});

export type OutputRecorder = ReturnType<typeof recordOutput>;

/**
 * Records the calls of models, appended to an existing file.
 * @throws RequestError `recording_invalid` when the file exists and is invalid, `config_invalid` when no model is configured
 */
export function recordOutput(path: string, models: Models) {
  if (models === null)
    throw new RequestError("config_invalid", "There is no model whose output could be recorded. Configure `model`, or omit --record.");
  const calls: RecordedCall[] = existsSync(path) ? [...readRecording(path).calls] : [];
  return {
    models: recordModels(models, calls),
    /** Writes the calls so far. @throws RequestError `recording_unwritable` */
    save(): void {
      try {
        writeFileSync(path, `${JSON.stringify({ small: models.small.id, large: models.large.id, calls })}\n`);
      } catch (cause) {
        const message = `Model output could not be written to ${path} (${messageOf(cause)}). Choose a file in an existing folder.`;
        throw new RequestError("recording_unwritable", message, { path }, { cause });
      }
    },
  };
}

/** Replays model output; after an unrecorded prompt the answer falls back to quotes. @throws RequestError `recording_invalid` */
export function playOutput(path: string): Models {
  const { small, large, calls } = readRecording(path);
  return playbackModels({ small, large }, calls);
}

function readRecording(path: string): z.infer<typeof fileSchema> {
  try {
    return fileSchema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch (cause) {
    const message = `${path} contains no recorded model output (${messageOf(cause).slice(0, 200)}). Use a file written by \`eval golden --record FILE\`.`;
    throw new RequestError("recording_invalid", message, { path }, { cause });
  }
}
