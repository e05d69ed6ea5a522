import { useCallback, useId, useState } from "react";
import type { WireDocument, WireVersions } from "../../src/client/index.ts";
import type { Api } from "../app/api.ts";
import { useLoaded } from "../app/use-loaded.ts";
import { formatCount } from "../format.ts";
import { changesOf, shortened } from "../kit/changes.ts";
import { ScrollRegion } from "../kit/scroll-region.tsx";
import { StateLine } from "../kit/state-line.tsx";
import { TextDiff } from "../kit/text-diff.tsx";

export interface VersionsProps {
  readonly api: Pick<Api, "get">;
  readonly document: { readonly id: string; readonly title: string };
  /** `domain` and `tenant` as a query. */
  readonly scope: string;
}

/** What a document said before, and what changed; read when it is opened. */
export function Versions(props: VersionsProps) {
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

function VersionList({ api, document: { id, title }, scope }: VersionsProps) {
  const [before, setBefore] = useState("");
  const select = useId();
  const path = `/v1/documents/${encodeURIComponent(id)}`;
  const [state, reload] = useLoaded(
    useCallback((signal) => api.get<WireVersions>(`${path}/versions?${scope}`, signal), [api, path, scope]),
  );
  if (state.type !== "ready") return <StateLine state={state} what="the versions" onRetry={reload} />;
  const [current, ...earlier] = state.value.items;
  if (current === undefined || earlier.length === 0) return <p>There is one version: it has not changed since it was taken in.</p>;
  const kept = earlier.filter((version) => version.kept);
  return (
    <>
      <p>
        {formatCount(earlier.length, "earlier version")}, {formatCount(kept.length, "text")} of them kept.
        {kept.length < earlier.length ? " A replaced text is kept while a recorded answer may rest on it." : ""}
      </p>
      {kept.length === 0 ? null : (
        <div className="filters">
          <label htmlFor={select}>Compare today's with</label>
          <select id={select} className="field" value={before} onChange={(event) => setBefore(event.target.value)}>
            <option value="">nothing</option>
            {kept.map(({ version }) => (
              <option key={version} value={version}>
                {versionsAgo(earlier.findIndex((one) => one.version === version) + 1)}
              </option>
            ))}
          </select>
        </div>
      )}
      {before === "" ? null : <Difference key={before} {...{ api, path, scope, before, title }} />}
    </>
  );
}

/** A version by how far back it lies: neither its hash nor a revision of the domain says anything to a reader. */
function versionsAgo(back: number): string {
  return back === 1 ? "the version before it" : `${formatCount(back, "version")} before it`;
}

interface DifferenceProps extends Pick<VersionsProps, "api" | "scope"> {
  readonly path: string;
  readonly before: string;
  readonly title: string;
}

function Difference({ api, path, scope, before, title }: DifferenceProps) {
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
    return <p>The text is the same: only its title, its date or its file has changed.</p>;
  return (
    <ScrollRegion className="difference" aria-label={`What changed in ${title}`}>
      <TextDiff changes={state.value} />
    </ScrollRegion>
  );
}
