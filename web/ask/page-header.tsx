import { formatCount } from "../format.ts";
import type { HealthState } from "./conversation/use-health.ts";

export interface PageHeaderProps {
  readonly health: HealthState;
  /** `null` while there is nothing to clear. */
  readonly onClear: (() => void) | null;
}

/** The name, what is searched, and the way to a new conversation. */
export function PageHeader({ health, onClear }: PageHeaderProps) {
  return (
    <header className="page-header">
      <p className="wordmark">
        <span aria-hidden="true">[</span>
        Sourcebound
        <span aria-hidden="true">]</span>
      </p>
      <HealthLine health={health} />
      {onClear === null ? null : (
        <button type="button" className="quiet-button" onClick={onClear}>
          New conversation
        </button>
      )}
    </header>
  );
}

function HealthLine({ health: state }: { readonly health: HealthState }) {
  if (state.type === "unknown") return <p className="health" />;
  if (state.type === "failed") {
    return (
      <p className="health is-failed" role="status">
        Server not ready
      </p>
    );
  }
  const { health } = state;
  return (
    <p className="health">
      <span>{health.title}</span>
      <span>{formatCount(health.documents, "document")}</span>
      <span className="health-extra">{formatCount(health.chunks, "passage")}</span>
      {health.status === "degraded" ? <span className="is-failed">degraded</span> : null}
    </p>
  );
}
