import type { WireUploadLimits } from "../../src/client/index.ts";
import { formatBytes } from "../format.ts";

/** The part of a `File` that is looked at before it is sent. */
export interface ChosenFile {
  readonly name: string;
  readonly size: number;
}

export interface UploadPlan<T extends ChosenFile> {
  /** What is sent, one request each. */
  readonly batches: readonly (readonly T[])[];
  /** Why the others are not sent, a sentence each. */
  readonly refusals: readonly string[];
}

/** Parts what was chosen into what one request takes each, and says of what cannot be sent why. @param limits `null`: the server does not say them */
export function planUpload<T extends ChosenFile>(files: readonly T[], limits: WireUploadLimits | null): UploadPlan<T> {
  if (limits === null) return { batches: files.length === 0 ? [] : [files], refusals: [] };
  const named = new Map<string, number>();
  for (const { name } of files) named.set(name, (named.get(name) ?? 0) + 1);
  const twice = [...named].filter(([, count]) => count > 1);
  const large = files.filter(({ name, size }) => named.get(name) === 1 && size > limits.file_bytes);
  const batches: T[][] = [];
  let room = { files: 0, bytes: 0 };
  for (const file of files) {
    if (named.get(file.name) !== 1 || file.size > limits.file_bytes) continue;
    if (room.files === 0 || room.bytes < file.size) {
      batches.push([]);
      room = { files: limits.files, bytes: limits.bytes };
    }
    batches.at(-1)?.push(file);
    room = { files: room.files - 1, bytes: room.bytes - file.size };
  }
  const refusals = [
    ...twice.map(
      ([name, count]) => `${count} of the files are called ${name}, and the last would replace the others: send them one by one.`,
    ),
    ...large.map((file) => tooLarge(file, limits)),
  ];
  return { batches, refusals };
}

function tooLarge({ name, size }: ChosenFile, limits: WireUploadLimits): string {
  const [is, most] = [formatBytes(size, Math.ceil), formatBytes(limits.file_bytes, Math.floor)];
  return `${name} is too large: it has ${is}, and a file may have ${most}. Split it, or ask whoever runs the server to read it in.`;
}
