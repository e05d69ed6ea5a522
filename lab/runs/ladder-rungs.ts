import type { CheckSettings, Profile } from "../../src/profiles/profile.ts";
import { sevenLayer } from "../../src/profiles/seven-layer.ts";
import { sourcebound } from "../../src/profiles/sourcebound.ts";

export const RUNGS = ["none", "four", "seven", "ours"] as const;
export type Rung = (typeof RUNGS)[number];

/** Nothing is checked, and what the model writes is shown as written. */
const UNCHECKED: CheckSettings = {
  guards: { pii: "off", terminology: "off", injection: "off", relevancy: null, faithfulness: null, tokens: null },
  uncited: "allow",
  values: "off",
  claims: "off",
  recite: false,
  support: null,
  nowhere: "leave",
  urls: "off",
  verificationScore: null,
};

/** Layers 1 to 4 of the source: passages by their cosine, a weak best one flagged, the grounded prompt, hosts, the verification score. */
const FOUR: Profile = {
  ...sevenLayer,
  name: "ladder-four",
  title: "Layers 1 to 4 of the seven",
  gate: { type: "similarity", minimum: 0.45, weak: 0.55, veryWeak: null, warn: -1 },
  check: { ...sevenLayer.check, values: "off", nowhere: "flag" },
  unbuilt: [],
};

/** What stands on each rung (DESIGN.md, section 4); all run the same path, and only their numbers differ. */
export const LADDER: Readonly<Record<Rung, { readonly title: string; readonly profile: Profile }>> = {
  none: {
    title: "no layers",
    profile: { ...sevenLayer, name: "ladder-none", title: "No layers", gate: { type: "none" }, check: UNCHECKED, caches: [], unbuilt: [] },
  },
  four: { title: "four layers (1, 2, 3, 4)", profile: FOUR },
  seven: { title: "seven layers (and 1b, 5, 6, 7)", profile: sevenLayer },
  ours: { title: "ours", profile: sourcebound },
};
