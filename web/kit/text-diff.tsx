import type { Change } from "./changes.ts";

/** Changes in their order; what was left out is an ellipsis. */
export function TextDiff({ changes }: { readonly changes: readonly Change[] }) {
  return (
    <p className="diff">
      {changes.map(({ at, type, text }) => {
        if (text === "")
          return (
            <span key={`${at} out`} className="muted">
              {"⋯\n"}
            </span>
          );
        if (type === "same") return <span key={at}>{text}</span>;
        return type === "added" ? <ins key={at}>{text}</ins> : <del key={at}>{text}</del>;
      })}
    </p>
  );
}
