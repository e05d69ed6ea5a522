import { bufferOf, placeOf, type StoredWeights } from "./shared-weights.ts";

/** Writes each token's word vector to `words`, and position and the first type together to `rest`. @throws Error when there are too many tokens, or none */
export type Embed = (ids: Int32Array, words: Float32Array, rest: Float32Array) => void;

export function createEmbedding(weights: StoredWeights): Embed {
  const { hidden, embedding_bits: bits, max_tokens: most } = weights.header;
  const buffer = bufferOf(weights);
  const at = (name: string) => placeOf(weights, name);
  const float32 = new Float32Array(buffer);
  const int8 = new Int8Array(buffer);
  const bytes = new Uint8Array(buffer);
  const rows = new Uint16Array(buffer, at("rows"), weights.vocabulary.pieces);
  const [codes, scales, types] = [at("words.codes"), at("words.scales") / 4, at("types") / 4];
  const [positions, positionScales] = [at("positions.codes"), at("positions.scales") / 4];
  const mask = 2 ** bits - 1;
  const zero = 2 ** (bits - 1);
  const codeOf = (start: number, place: number) => {
    if (bits === 8) return int8[start + place] as number;
    const bit = place * bits;
    const byte = start + (bit >> 3);
    return (((((bytes[byte + 1] as number) << 8) | (bytes[byte] as number)) >> (bit & 7)) & mask) - zero;
  };
  return (ids, words, rest) => {
    if (ids.length === 0 || ids.length > most) throw new Error(`a sequence has ${ids.length} tokens; 1 to ${most} can be read`);
    for (let token = 0; token < ids.length; token++) {
      const row = rows[ids[token] as number] as number;
      const start = codes + (row * hidden * bits) / 8;
      const scale = float32[scales + row] as number;
      const position = positions + token * hidden;
      const positionScale = float32[positionScales + token] as number;
      for (let k = 0; k < hidden; k++) {
        words[token * hidden + k] = codeOf(start, k) * scale;
        rest[token * hidden + k] = (int8[position + k] as number) * positionScale + (float32[types + k] as number);
      }
    }
  };
}
