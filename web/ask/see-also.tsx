import type { WireAnswer } from "../../src/client/index.ts";
import { toHttpUrl } from "../format.ts";

export interface SeeAlsoProps {
  readonly seeAlso: NonNullable<WireAnswer["see_also"]>;
}

/** Where to read on. Nothing in the answer rests on it. */
export function SeeAlso({ seeAlso: { title, heading, url } }: SeeAlsoProps) {
  const href = toHttpUrl(url);
  return (
    <p className="see-also">
      See also:{" "}
      {href === null ? (
        title
      ) : (
        <a href={href} target="_blank" rel="noopener noreferrer">
          {title}
        </a>
      )}
      {heading === null || heading === title ? null : ` – ${heading}`}
    </p>
  );
}
