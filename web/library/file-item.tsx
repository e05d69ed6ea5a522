import { useState } from "react";
import type { WireFile } from "../../src/client/index.ts";
import { formatRoute } from "../app/route.ts";
import { formatCount, formatDate, formatNumber } from "../format.ts";
import { Versions, type VersionsProps } from "./versions.tsx";

export interface FileItemProps {
  readonly file: WireFile;
  readonly domain: string | null;
  readonly api: VersionsProps["api"];
  /** `domain` and `tenant` as a query. */
  readonly scope: string;
  readonly onDelete: () => void;
}

const STATES = { queued: "waits to be read", reading: "is being read", ok: "read", failed: "could not be read" } as const;

/** A file with its documents, or the reason why there are none. */
export function FileItem({ file, domain, api, scope, onDelete }: FileItemProps) {
  const [asked, setAsked] = useState(false);
  const { path, status, reason, uploaded, updated_at: at, documents, tenant } = file;
  const busy = status === "queued" || status === "reading";
  return (
    <li className="queue-item file">
      <span>
        <code>{path}</code> <span className={`verdict is-${status === "failed" ? "fail" : busy ? "warn" : "pass"}`}>{STATES[status]}</span>
      </span>
      {busy ? <progress aria-label={`${path} is being read`} /> : null}
      <span className="muted">
        {at === null ? "" : formatDate(at.slice(0, 10))}
        {tenant === null ? "" : ` · only for ${tenant}`}
        {uploaded ? " · uploaded" : " · from a folder of the server"}
      </span>
      {reason === null ? null : <span className="doubt">{reason}</span>}
      {documents.map(({ id, title, version, characters, pages, format, notices }) => (
        <span key={id}>
          <a
            href={formatRoute({
              ...{ room: "read", document: id, start: null, end: null, version, quote: null },
              ...{ domain, tenant },
            })}
          >
            {title}
          </a>{" "}
          <span className="muted">
            {formatNumber(characters)} characters{pages === null ? "" : `, ${formatCount(pages, "page")}`}
            {format === null ? "" : `, ${format}`}, version {version.slice(0, 8)}
          </span>
          {notices.map(({ code, message }) => (
            <span key={`${code} ${message}`} className="doubt">
              {message}
            </span>
          ))}
          <Versions api={api} document={{ id, title }} scope={scope} />
        </span>
      ))}
      {!uploaded || busy ? null : asked ? (
        <span className="actions">
          <button type="button" className="quiet-button is-danger" onClick={onDelete}>
            Delete it with what rests on it
          </button>
          <button type="button" className="quiet-button" onClick={() => setAsked(false)}>
            Keep
          </button>
        </span>
      ) : (
        <button type="button" className="quiet-button" aria-label={`Delete ${path}`} onClick={() => setAsked(true)}>
          Delete
        </button>
      )}
    </li>
  );
}
