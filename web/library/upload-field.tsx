import { useCallback, useId, useState } from "react";
import type { WireFile, WireUploadLimits } from "../../src/client/index.ts";
import { messageOf } from "../app/api.ts";
import { documentPath, queryOf } from "../app/route.ts";
import { useAccount } from "../app/use-account.ts";
import { formatCount, formatNumber } from "../format.ts";
import { ResultLine, useActionResult, useEvery } from "../kit/actions.tsx";

/** Milliseconds between two requests for the state of files that are being read. */
export const LOOK_MS = 2_000;

const STATES = { queued: "queued", reading: "being read", ok: "ready", failed: "could not be read" } as const;

export function isBeingRead({ status }: Pick<WireFile, "status">): boolean {
  return status === "queued" || status === "reading";
}

/** Shows the state of a file in words. */
export function FileState({ file }: { readonly file: WireFile }) {
  const kind = file.status === "failed" ? "fail" : isBeingRead(file) ? "warn" : "pass";
  return <span className={`verdict is-${kind}`}>{STATES[file.status]}</span>;
}

/**
 * A field for uploading files, which the user chooses or drops on it.
 * @param onSent called after each upload, and when the state of an uploaded file changes
 * @param reports true to list the uploaded files below the field; the Library view lists all files anyway
 */
export default function UploadField({ onSent, reports = false }: Readonly<{ onSent: () => void; reports?: boolean }>) {
  const { api, caller, domain, tenant } = useAccount();
  const { result, setResult } = useActionResult();
  const [files, setFiles] = useState<readonly WireFile[]>([]);
  const id = useId();
  const follow = useCallback(async () => {
    const scope = queryOf({ domain: domain?.name, tenant });
    const look = (file: WireFile) => api.get<WireFile>(`${documentPath(file.id)}/status?${scope}`).catch(() => file);
    const now = await Promise.all(files.map((file) => (isBeingRead(file) ? look(file) : file)));
    setFiles(now);
    if (now.some(({ status }, i) => status !== files[i]?.status)) onSent();
  }, [api, domain, tenant, files, onSent]);
  useEvery(reports && files.some(isBeingRead) ? LOOK_MS : null, follow);

  async function upload(chosen: readonly File[]) {
    const limits = caller.type === "ready" ? (caller.value.uploads ?? null) : null;
    const { batches, refusals } = planUpload(chosen, limits);
    const into = { ...(domain === null ? {} : { domain: domain.name }), ...(tenant === null ? {} : { tenant }) };
    const all = formatCount(batches.flat().length, "file");
    const say = (text: string, failed = refusals.length > 0) => setResult({ failed, text: [...refusals, text].join(" ").trim() });
    let sent = 0;
    try {
      for (const batch of batches) {
        say(sent === 0 ? `Uploading ${all}…` : `Uploading ${all}: ${formatNumber(sent)} done…`);
        const items = await api.upload(batch, into);
        setFiles((before) => [...items, ...before.filter((old) => items.every((file) => file.id !== old.id))]);
        sent += batch.length;
        onSent();
      }
      if (chosen.length > 0) say(sent === 0 ? "" : `${all} uploaded.`);
    } catch (error) {
      say(`${sent === 0 ? "" : `${formatNumber(sent)} of ${all} were uploaded; the others failed: `}${messageOf(error)}`, true);
      onSent();
    }
  }

  return (
    <div className="drop">
      <label htmlFor={id}>Drop files here, or choose them</label>
      <input
        id={id}
        type="file"
        multiple
        aria-describedby={`${id}-formats`}
        onChange={(event) => {
          void upload([...(event.target.files ?? [])]);
          event.target.value = "";
        }}
      />
      <p id={`${id}-formats`} className="muted">
        PDF, Word, EPUB, spreadsheets, mail, HTML, Markdown, text. A file with the same name is replaced.
      </p>
      <ResultLine result={result} />
      <ul aria-label="Uploaded files">
        {(reports ? files : []).map((file) => (
          <li key={file.id}>
            {file.path} <FileState file={file} /> {file.reason}
          </li>
        ))}
      </ul>
    </div>
  );
}

/**
 * Splits files into batches, each for one upload request, and states in `refusals` which files cannot be uploaded.
 * @param limits the server's limits; `null`: unknown, so all files form one batch
 */
export function planUpload<T extends Pick<File, "name" | "size">>(files: readonly T[], limits: WireUploadLimits | null) {
  if (limits === null) return { batches: files.length === 0 ? [] : [[...files]], refusals: [] };
  const named = Map.groupBy(files, ({ name }) => name);
  const twice = [...named].filter(([, same]) => same.length > 1);
  const unique = files.filter(({ name }) => named.get(name)?.length === 1);
  const large = unique.filter(({ size }) => size > limits.file_bytes);
  const batches: T[][] = [];
  let room = { files: 0, bytes: 0 };
  for (const file of unique.filter(({ size }) => size <= limits.file_bytes)) {
    if (room.files === 0 || room.bytes < file.size) {
      batches.push([]);
      room = { files: limits.files, bytes: limits.bytes };
    }
    batches.at(-1)?.push(file);
    room = { files: room.files - 1, bytes: room.bytes - file.size };
  }
  const refusals = [
    ...twice.map(
      ([name, same]) =>
        `${same.length} of the files are named ${name}, so each would replace the one before, and none was uploaded. Give them different names.`,
    ),
    ...large.map(({ name, size }) => {
      const [fileSize, limit] = [formatBytes(size, Math.ceil), formatBytes(limits.file_bytes, Math.floor)];
      return `${name} is too large: it has ${fileSize}, and the limit is ${limit}. Split it, or ask your administrator to ingest it.`;
    }),
  ];
  return { batches, refusals };
}

/**
 * Formats bytes in decimal units.
 * @param round `Math.ceil` for sizes, `Math.floor` for limits, so that a size above a limit never looks equal to it
 */
function formatBytes(bytes: number, round: (value: number) => number): string {
  if (bytes >= 1e6) return `${formatNumber(round(bytes / 1e5) / 10)} MB`;
  return bytes >= 1e3 ? `${formatNumber(round(bytes / 1e3))} kB` : formatCount(bytes, "byte");
}
