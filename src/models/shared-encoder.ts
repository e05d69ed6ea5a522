import { whileHeld } from "../text/while-held.ts";
import { loadEmbeddedEncoder } from "./embedded-encoder.ts";

/**
 * The encoder that ships, one for all engines and checks of the process: its weights never change.
 * @throws {ModelError} `encoder_missing` | `encoder_corrupt`
 */
export const sharedEncoder = whileHeld(() => loadEmbeddedEncoder());
