import pairs from "./near-spelled.json" with { type: "json" };

/** Two words with similar spelling and different meanings (or none), by field. */
export interface NearSpelled<Domain extends string = string> {
  readonly domain: Domain;
  readonly one: string;
  readonly other: string;
}

function pairsIn<Domain extends string>(lists: Readonly<Record<Domain, readonly string[]>>): NearSpelled<Domain>[] {
  return (Object.keys(lists) as Domain[]).flatMap((domain) =>
    lists[domain].map((pair) => {
      const [one = "", other = ""] = pair.split("/");
      return { domain, one, other };
    }),
  );
}

/** Pairs of words that must never match each other. */
export const nearSpelled = pairsIn(pairs.developed);

/** Held-out pairs, written after the code that separates such words. */
export const nearSpelledAsked = pairsIn(pairs.heldOut);
