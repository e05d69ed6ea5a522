import { RequestError } from "../errors.ts";
import { didYouMean } from "../text/nearest.ts";
import { book } from "./book.ts";
import type { Profile } from "./profile.ts";
import { sevenLayer } from "./seven-layer.ts";
import { sourcebound } from "./sourcebound.ts";
import { spark } from "./spark.ts";
import { validator } from "./validator.ts";
import { vgRag } from "./vg-rag.ts";

/** Every profile, the default first. */
export const profiles: readonly Profile[] = [sourcebound, sevenLayer, spark, vgRag, validator, book];

/** @throws RequestError `unknown_profile` with the nearest right name */
export function profileNamed(name: string, known: readonly Profile[] = profiles): Profile {
  const found = known.find((profile) => profile.name === name);
  if (found !== undefined) return found;
  const names = known.map((profile) => profile.name);
  throw new RequestError("unknown_profile", `There is no profile "${name}".${didYouMean(name, names)} Known: ${names.join(", ")}.`, {
    profile: name,
  });
}
