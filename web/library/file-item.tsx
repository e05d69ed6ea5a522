import { useCallback, useState } from "react";
import type { WireDocument, WireFile, WireVersions } from "../../src/client/index.ts";
import { documentPath, formatRoute } from "../app/route.ts";
import { useAccount, useFetched } from "../app/use-account.ts";
import { useLoaded } from "../app/use-loaded.ts";
import { formatCount, formatDate, formatNumber } from "../format.ts";
import { changesOf, shortened, TextDiff } from "../kit/changes.tsx";
import { SelectField } from "../kit/controls.tsx";
import { AskedTwice } from "../kit/popover.tsx";
import { ScrollRegion } from "../kit/scroll-region.tsx";
import { StateLine } from "../kit/state-line.tsx";

export interface FileItemProps {
  readonly file: WireFile;
  /** Query string with `domain` and `tenant`. */
  readonly scope: string;
  readonly onDelete: () => void;
}

const STATES = { queued: "queued", reading: "being ingested", ok: "read", failed: "could not be read" } as const;

/** A file with its documents, or the reason why it could not be read. */
export function FileItem({ file, scope, onDelete }: FileItemProps) {
  const { path, status, reason, uploaded, updated_at: at, documents, tenant } = file;
  const busy = status === "queued" || status === "reading";
  return (
    <li className="queue-item">
      {documents.length === 0 ? (
        <strong>{path}</strong>
      ) : (
        documents.map((document) => (
          <span key={document.id}>
            <Document document={document} tenant={tenant} />
          </span>
        ))
      )}
      <span className="muted">
        <span className={`verdict is-${status === "failed" ? "fail" : busy ? "warn" : "pass"}`}>{STATES[status]}</span>
        {documents.length === 0 ? "" : ` · ${path}`}
        {at === null ? "" : ` · ${formatDate(at.slice(0, 10))}`}
        {tenant === null ? "" : ` · only for ${tenant}`}
        {uploaded ? " · uploaded" : " · from a folder of the server"}
      </span>
      {busy ? <progress aria-label={`${path} is being ingested`} /> : null}
      {reason === null ? null : <span className="doubt">{reason}</span>}
      {documents.map(({ id, title }) => (
        <Versions key={id} document={{ id, title }} scope={scope} />
      ))}
      {!uploaded || busy ? null : (
        <span>
          <AskedTwice label="Delete" name={`Delete ${path}`} confirm="Delete it and everything that depends on it" onConfirm={onDelete} />
        </span>
      )}
    </li>
  );
}

/** A document of a file, with the notices from ingestion. */
function Document({
  document: { id, title, version, characters, pages, format, notices },
  tenant,
}: {
  readonly document: WireFile["documents"][number];
  readonly tenant: string | null;
}) {
  const { domain } = useAccount();
  return (
    <>
      <a
        href={formatRoute({
          ...{ room: "read", document: id, start: null, end: null, version, quote: null },
          ...{ domain: domain?.name ?? null, tenant },
        })}
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

interface VersionsProps {
  readonly document: { readonly id: string; readonly title: string };
  /** Query string with `domain` and `tenant`. */
  readonly scope: string;
}

/** Shows the earlier versions of a document and their differences; loads them when opened. */
function Versions(props: VersionsProps) {
  const [open, setOpen] = useState(false);
  return (
    <details className="outline" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="muted">
        Earlier versions<span className="visually-hidden"> of {props.document.title}</span>
      </summary>
      {open ? <VersionList {...props} /> : null}
    </details>
  );
}

function VersionList({ document: { id, title }, scope }: VersionsProps) {
  const [before, setBefore] = useState("");
  const path = documentPath(id);
  const [state, reload] = useFetched<WireVersions>(`${path}/versions?${scope}`);
  if (state.type !== "ready") return <StateLine state={state} what="the versions" onRetry={reload} />;
  const [current, ...earlier] = state.value.items;
  if (current === undefined || earlier.length === 0)
    return <p>There is one version: the document has not changed since it was ingested.</p>;
  const kept = earlier.filter((version) => version.kept);
  return (
    <>
      <p>
        {formatCount(earlier.length, "earlier version")}, {formatCount(kept.length, "text")} of them kept.
        {kept.length < earlier.length ? " A replaced text is kept while a recorded answer may depend on it." : ""}
      </p>
      {kept.length === 0 ? null : (
        <div className="filters">
          <SelectField
            label="Compare the current version with"
            value={before}
            options={[
              ["", "nothing"],
              ...kept.map(({ version }) => [version, versionsAgo(earlier.findIndex((one) => one.version === version) + 1)] as const),
            ]}
            onChange={setBefore}
          />
        </div>
      )}
      {before === "" ? null : <Difference key={before} {...{ path, scope, before, title }} />}
    </>
  );
}

/** Names a version by its distance from the current one, because a hash or revision tells a reader nothing. */
function versionsAgo(back: number): string {
  return back === 1 ? "the previous version" : `${formatCount(back, "version")} earlier`;
}

interface DifferenceProps extends Pick<VersionsProps, "scope"> {
  readonly path: string;
  readonly before: string;
  readonly title: string;
}

function Difference({ path, scope, before, title }: DifferenceProps) {
  const { api } = useAccount();
  const load = useCallback(
    async (signal: AbortSignal) => {
      const [old, now] = await Promise.all([
        api.get<WireDocument>(`${path}?${scope}&version=${encodeURIComponent(before)}`, signal),
        api.get<WireDocument>(`${path}?${scope}`, signal),
      ]);
      return shortened(changesOf(`${old.text}\n`, `${now.text}\n`, "lines"));
    },
    [api, path, scope, before],
  );
  const [state, reload] = useLoaded(load);
  if (state.type !== "ready") return <StateLine state={state} what="both versions" onRetry={reload} />;
  if (state.value.every(({ type }) => type === "same"))
    return <p>The text is the same: only the title, the date or the file has changed.</p>;
  return (
    <ScrollRegion className="prompt" aria-label={`What changed in ${title}`}>
      <TextDiff changes={state.value} />
    </ScrollRegion>
  );
}
