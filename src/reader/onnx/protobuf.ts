/** A message of Protocol Buffers, or some of its fields, in pieces: large ones are copied once, when all is put together (https://protobuf.dev/programming-guides/encoding/). */
export interface Fields {
  readonly bytes: number;
  readonly pieces: readonly Uint8Array[];
}

const WIRE_VARINT = 0;
const WIRE_LENGTH = 2;
const WIRE_FLOAT = 5;

export function fields(...all: readonly Fields[]): Fields {
  return { bytes: all.reduce((sum, { bytes }) => sum + bytes, 0), pieces: all.flatMap(({ pieces }) => pieces) };
}

/** @param value a whole number from 0 */
export function integerField(field: number, value: number): Fields {
  return pieces(tag(field, WIRE_VARINT), varint(value));
}

export function floatField(field: number, value: number): Fields {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return pieces(tag(field, WIRE_FLOAT), bytes);
}

export function textField(field: number, text: string): Fields {
  return bytesField(field, Buffer.from(text, "utf8"));
}

/** @param bytes are not copied before all is put together */
export function bytesField(field: number, bytes: Uint8Array): Fields {
  return pieces(tag(field, WIRE_LENGTH), varint(bytes.length), bytes);
}

export function messageField(field: number, message: Fields): Fields {
  return fields(pieces(tag(field, WIRE_LENGTH), varint(message.bytes)), message);
}

/** All in one, with memory of its own. */
export function encoded(message: Fields): Uint8Array {
  const whole = new Uint8Array(message.bytes);
  let at = 0;
  for (const piece of message.pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

function pieces(...all: readonly Uint8Array[]): Fields {
  return { bytes: all.reduce((sum, { length }) => sum + length, 0), pieces: all };
}

function tag(field: number, wire: number): Uint8Array {
  return varint(field * 8 + wire);
}

/** Seven bits a byte, the lowest first; a byte that another follows has its highest bit set. */
function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return Uint8Array.from([...bytes, rest]);
}
