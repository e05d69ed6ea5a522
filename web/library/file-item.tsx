import type { WireFile } from "../../src/client/index.ts";
import { formatRoute } from "../app/route.ts";
import { formatCount, formatDate, formatNumber } from "../format.ts";
import { AskedTwice } from "../kit/asked-twice.tsx";
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
  const { path, status, reason, uploaded, updated_at: at, documents, tenant } = file;
  const busy = status === "queued" || status === "reading";
  return (
    <li className="queue-item file">
      {documents.length === 0 ? (
        <span className="file-part file-title">{path}</span>
      ) : (
        documents.map((document) => (
          <span key={document.id} className="file-part">
            <Document document={document} {...{ domain, tenant }} />
          </span>
        ))
      )}
      <span className="file-part muted">
        <span className={`verdict is-${status === "failed" ? "fail" : busy ? "warn" : "pass"}`}>{STATES[status]}</span>
        {documents.length === 0 ? "" : ` · ${path}`}
        {at === null ? "" : ` · ${formatDate(at.slice(0, 10))}`}
        {tenant === null ? "" : ` · only for ${tenant}`}
        {uploaded ? " · uploaded" : " · from a folder of the server"}
      </span>
      {busy ? <progress aria-label={`${path} is being read`} /> : null}
      {reason === null ? null : <span className="file-part doubt">{reason}</span>}
      {documents.map(({ id, title }) => (
        <span key={id} className="file-part">
          <Versions api={api} document={{ id, title }} scope={scope} />
        </span>
      ))}
      <span className="file-act actions">
        {!uploaded || busy ? null : (
          <AskedTwice label="Delete" name={`Delete ${path}`} confirm="Delete it with what rests on it" onConfirm={onDelete} />
        )}
      </span>
    </li>
  );
}

type FileDocument = WireFile["documents"][number];

/** A document of a file, with what must be known of its reading. */
function Document({
  document: { id, title, version, characters, pages, format, notices },
  domain,
  tenant,
}: Pick<FileItemProps, "domain"> & { readonly document: FileDocument; readonly tenant: string | null }) {
  return (
    <>
      <a
        className="file-title"
        href={formatRoute({ ...{ room: "read", document: id, start: null, end: null, version, quote: null }, ...{ domain, tenant } })}
      >
        {title}
      </a>{" "}
      <span className="muted">
        {format === null ? "" : `${format}, `}
        {pages === null ? "" : `${formatCount(pages, "page")}, `}
        {formatNumber(characters)} characters
      </span>
      {notices.map(({ code, message }) => (
        <span key={`${code} ${message}`} className="doubt">
          {message}
        </span>
      ))}
    </>
  );
}
