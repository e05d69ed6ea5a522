import type { WireCitation, WireRefusal } from "../../src/client/index.ts";
import { formatNumber } from "../format.ts";

export interface FilePlaceProps {
  readonly original: WireCitation["original"] | WireRefusal["nearest"][number]["original"];
}

/** Where a quote stands in the file that was read; of an archive the file inside, from whose beginning the characters are counted. */
export function FilePlace({ original: { path, part, start, end } }: FilePlaceProps) {
  return (
    <>
      <code>{path}</code>, characters {formatNumber(start)}–{formatNumber(end)}
      {part === undefined ? null : (
        <>
          {" of "}
          <code>{part}</code>
        </>
      )}
    </>
  );
}
