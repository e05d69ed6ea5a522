import type { CheckSettings, GateSettings, Profile } from "../../../src/profiles/profile.ts";
import { sevenLayer } from "../../../src/profiles/seven-layer.ts";
import { sourcebound } from "../../../src/profiles/sourcebound.ts";

/** Our profile with `write: answer`: the source's comparison is about written answers. */
const ours: Profile = { ...sourcebound, write: { ...sourcebound.write, mode: "answer" } };

/** One ablation profile. All run the same pipeline with different settings. */
export interface Rung {
  readonly name: string;
  readonly title: string;
  readonly profile: Profile;
  /** The full profile from which this one removes a layer; absent: a profile of the main comparison. */
  readonly of?: "seven" | "ours";
}

/** No checks: the model's text is shown unchanged. */
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

const SEVEN_GATE: Extract<GateSettings, { type: "similarity" }> = {
  type: "similarity",
  minimum: 0.45,
  weak: 0.55,
  veryWeak: 0.45,
  warn: 0.5,
};

/** Layers 1 to 4 of the source: cosine of passages, weak-retrieval flag, grounded prompt, URL hosts, and verification score. */
const FOUR: Partial<Profile> = {
  gate: { ...SEVEN_GATE, veryWeak: null, warn: -1 },
  check: { ...sevenLayer.check, values: "off", nowhere: "flag" },
};

function rung(name: string, title: string, base: Profile, changes: Partial<Profile>, of?: Rung["of"]): Rung {
  return { name, title, profile: { ...base, ...changes, name: `ablate-${name}`, title }, ...(of === undefined ? {} : { of }) };
}

function sevenWithout(layer: string, title: string, changes: { gate?: Partial<typeof SEVEN_GATE>; check?: Partial<CheckSettings> }): Rung {
  const { gate = {}, check = {} } = changes;
  const parts = { gate: { ...SEVEN_GATE, ...gate }, check: { ...sevenLayer.check, ...check } };
  return rung(`seven-${layer}`, `seven without ${title}`, sevenLayer, parts, "seven");
}

function oursWithout(layer: string, changes: Partial<Profile>): Rung {
  return rung(`ours-${layer}`, `ours without ${layer}`, ours, changes, "ours");
}

const without = (check: Partial<CheckSettings>): Partial<Profile> => ({ check: { ...ours.check, ...check } });

/**
 * The source's comparison (000, table 1), our profile, and both without single layers. Layer 2, the prompt, is not ablated: only a real
 * model would show its effect, and its rules cannot be removed from the prompt one by one.
 */
export const RUNGS: readonly Rung[] = [
  rung("none", "no layers", sevenLayer, { gate: { type: "none" }, check: UNCHECKED, caches: [] }),
  rung("four", "four layers (1, 2, 3, 4)", sevenLayer, FOUR),
  { name: "seven", title: "seven layers (and 1b, 5, 6, 7)", profile: sevenLayer },
  { name: "ours", title: "ours", profile: ours },
  sevenWithout("1", "1, the least similarity of a passage", { gate: { minimum: -1 } }),
  sevenWithout("1b", "1b, the refusal when the best is very weak", { gate: { veryWeak: null } }),
  sevenWithout("3", "3, hosts of addresses", { check: { urls: "off" } }),
  sevenWithout("4", "4, the verification of citations", { check: { claims: "off", support: null, verificationScore: null } }),
  sevenWithout("5", "5, numbers", { check: { values: "off" } }),
  sevenWithout("6", "6, citations that lead nowhere", { check: { nowhere: "leave" } }),
  sevenWithout("7", "7, the warning before the answer", { gate: { warn: -1 } }),
  oursWithout("checks", { gate: { type: "none" }, check: UNCHECKED }),
  oursWithout("gate", { gate: { type: "none" } }),
  oursWithout("comparison", { comparePassages: false }),
  oursWithout("values", without({ values: "off" })),
  oursWithout("claims", without({ claims: "off" })),
  oursWithout("support", without({ support: null })),
  oursWithout("re-citing", without({ recite: false })),
  oursWithout("citations", without({ uncited: "allow", nowhere: "leave" })),
  oursWithout("addresses", without({ urls: "off" })),
  oursWithout("selection", { write: { ...ours.write, onFault: "quotes" } }),
];
