const WIRE_VARINT = 0;
const WIRE_LENGTH = 2;
const WIRE_FLOAT = 5;

/** Nodes in execution order. Field numbers are those of https://github.com/onnx/onnx/blob/main/onnx/onnx.proto. */
export interface OnnxGraph {
  readonly nodes: readonly OnnxNode[];
  readonly constants: Readonly<Record<string, OnnxConstant>>;
  /** Inputs of floats, and of integers. */
  readonly inputs: Readonly<Record<string, Shape>>;
  readonly integers?: Readonly<Record<string, Shape>>;
  readonly outputs: Readonly<Record<string, Shape>>;
}

export interface OnnxNode {
  readonly operator: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes?: Readonly<Record<string, Attribute>>;
}

/** A non-negative integer, a list of them, or a float. */
type Attribute = number | readonly number[] | { readonly float: number };

export interface OnnxConstant {
  readonly shape: readonly number[];
  readonly data: Float32Array | BigInt64Array;
}

/** A name stands for a size known at run time. */
type Shape = readonly (number | string)[];

/** Versions of the format and of the operator set: the first one with Gelu, ONNX 1.15 (2023). */
const IR_VERSION = 9;
const OPERATORS_VERSION = 20;

/** `TensorProto.DataType` */
const FLOAT = 1;
const INT64 = 7;
/** `AttributeProto.AttributeType` */
const ATTRIBUTE_FLOAT = 1;
const ATTRIBUTE_INT = 2;
const ATTRIBUTE_INTS = 7;

/** Encodes a model file, a `ModelProto`. */
export function encodeModel(graph: OnnxGraph): Uint8Array {
  const operators = fields(textField(1, ""), integerField(2, OPERATORS_VERSION));
  return encoded(fields(integerField(1, IR_VERSION), messageField(8, operators), messageField(7, graphOf(graph))));
}

function graphOf({ nodes, constants, inputs, integers = {}, outputs }: OnnxGraph): Fields {
  return fields(
    ...nodes.map((node) => messageField(1, nodeOf(node))),
    textField(2, "reader"),
    ...Object.entries(constants).map(([name, constant]) => messageField(5, tensorOf(name, constant))),
    ...Object.entries(inputs).map(([name, shape]) => messageField(11, valueInfoOf(name, shape))),
    ...Object.entries(integers).map(([name, shape]) => messageField(11, valueInfoOf(name, shape, INT64))),
    ...Object.entries(outputs).map(([name, shape]) => messageField(12, valueInfoOf(name, shape))),
  );
}

/** Encodes a `NodeProto`. */
function nodeOf({ operator, inputs, outputs, attributes = {} }: OnnxNode): Fields {
  return fields(
    ...inputs.map((name) => textField(1, name)),
    ...outputs.map((name) => textField(2, name)),
    textField(4, operator),
    ...Object.entries(attributes).map(([name, value]) => messageField(5, attributeOf(name, value))),
  );
}

/** Encodes an `AttributeProto`. */
function attributeOf(name: string, value: Attribute): Fields {
  const named = textField(1, name);
  if (typeof value === "number") return fields(named, integerField(3, value), integerField(20, ATTRIBUTE_INT));
  if ("float" in value) return fields(named, floatField(2, value.float), integerField(20, ATTRIBUTE_FLOAT));
  return fields(named, ...value.map((one) => integerField(8, one)), integerField(20, ATTRIBUTE_INTS));
}

/** Encodes a `TensorProto` with `raw_data`, which is little-endian, as are all machines that run this. */
function tensorOf(name: string, { shape, data }: OnnxConstant): Fields {
  return fields(
    ...shape.map((size) => integerField(1, size)),
    integerField(2, data instanceof Float32Array ? FLOAT : INT64),
    textField(8, name),
    bytesField(9, new Uint8Array(data.buffer, data.byteOffset, data.byteLength)),
  );
}

/** Encodes a `ValueInfoProto` of a tensor. */
function valueInfoOf(name: string, shape: Shape, type = FLOAT): Fields {
  const dimensions = shape.map((size) => messageField(1, typeof size === "number" ? integerField(1, size) : textField(2, size)));
  const tensor = fields(integerField(1, type), messageField(2, fields(...dimensions)));
  return fields(textField(1, name), messageField(2, messageField(1, tensor)));
}

/** A Protocol Buffers message (https://protobuf.dev/programming-guides/encoding/) as chunks, so that large data is copied only once. */
interface Fields {
  readonly bytes: number;
  readonly pieces: readonly Uint8Array[];
}

function fields(...all: readonly Fields[]): Fields {
  return { bytes: all.reduce((sum, { bytes }) => sum + bytes, 0), pieces: all.flatMap(({ pieces }) => pieces) };
}

/** @param value a non-negative integer */
function integerField(field: number, value: number): Fields {
  return pieces(tag(field, WIRE_VARINT), varint(value));
}

function floatField(field: number, value: number): Fields {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return pieces(tag(field, WIRE_FLOAT), bytes);
}

function textField(field: number, text: string): Fields {
  return bytesField(field, Buffer.from(text, "utf8"));
}

/** @param bytes not copied until the whole message is encoded */
function bytesField(field: number, bytes: Uint8Array): Fields {
  return pieces(tag(field, WIRE_LENGTH), varint(bytes.length), bytes);
}

function messageField(field: number, message: Fields): Fields {
  return fields(pieces(tag(field, WIRE_LENGTH), varint(message.bytes)), message);
}

/** Concatenates all chunks into a new buffer. */
function encoded(message: Fields): Uint8Array {
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

/** Encodes a varint: seven bits per byte, lowest first; the high bit marks that another byte follows. */
function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return Uint8Array.from([...bytes, rest]);
}
