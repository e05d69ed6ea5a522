import { bytesField, encoded, type Fields, fields, floatField, integerField, messageField, textField } from "./protobuf.ts";

/** What a graph is made of, in the order in which it is computed. Numbers of fields are those of `onnx.proto` (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto). */
export interface OnnxGraph {
  readonly nodes: readonly OnnxNode[];
  /** Numbers that are part of the model, by name. */
  readonly constants: Readonly<Record<string, OnnxConstant>>;
  readonly inputs: Readonly<Record<string, Shape>>;
  readonly outputs: Readonly<Record<string, Shape>>;
}

export interface OnnxNode {
  readonly operator: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes?: Readonly<Record<string, Attribute>>;
}

/** A whole number from 0, several of them, or a float. */
type Attribute = number | readonly number[] | { readonly float: number };

export interface OnnxConstant {
  readonly shape: readonly number[];
  readonly data: Float32Array | BigInt64Array;
}

/** A name stands for a size that is known when the model runs. */
export type Shape = readonly (number | string)[];

/** The release of the format, and of the operators in it: the first in which Gelu is one, of ONNX 1.15 (2023). */
const IR_VERSION = 9;
const OPERATORS_VERSION = 20;

/** `TensorProto.DataType` */
const FLOAT = 1;
const INT64 = 7;
/** `AttributeProto.AttributeType` */
const ATTRIBUTE_FLOAT = 1;
const ATTRIBUTE_INT = 2;
const ATTRIBUTE_INTS = 7;

/** The bytes of a model file, a `ModelProto`. */
export function encodeModel(graph: OnnxGraph): Uint8Array {
  const operators = fields(textField(1, ""), integerField(2, OPERATORS_VERSION));
  return encoded(fields(integerField(1, IR_VERSION), messageField(8, operators), messageField(7, graphOf(graph))));
}

function graphOf({ nodes, constants, inputs, outputs }: OnnxGraph): Fields {
  return fields(
    ...nodes.map((node) => messageField(1, nodeOf(node))),
    textField(2, "reader"),
    ...Object.entries(constants).map(([name, constant]) => messageField(5, tensorOf(name, constant))),
    ...Object.entries(inputs).map(([name, shape]) => messageField(11, valueInfoOf(name, shape))),
    ...Object.entries(outputs).map(([name, shape]) => messageField(12, valueInfoOf(name, shape))),
  );
}

/** A `NodeProto`. */
function nodeOf({ operator, inputs, outputs, attributes = {} }: OnnxNode): Fields {
  return fields(
    ...inputs.map((name) => textField(1, name)),
    ...outputs.map((name) => textField(2, name)),
    textField(4, operator),
    ...Object.entries(attributes).map(([name, value]) => messageField(5, attributeOf(name, value))),
  );
}

/** An `AttributeProto`. */
function attributeOf(name: string, value: Attribute): Fields {
  const named = textField(1, name);
  if (typeof value === "number") return fields(named, integerField(3, value), integerField(20, ATTRIBUTE_INT));
  if ("float" in value) return fields(named, floatField(2, value.float), integerField(20, ATTRIBUTE_FLOAT));
  return fields(named, ...value.map((one) => integerField(8, one)), integerField(20, ATTRIBUTE_INTS));
}

/** A `TensorProto` with its numbers as `raw_data`, which is little-endian, as every machine is on which Node.js runs this. */
function tensorOf(name: string, { shape, data }: OnnxConstant): Fields {
  return fields(
    ...shape.map((size) => integerField(1, size)),
    integerField(2, data instanceof Float32Array ? FLOAT : INT64),
    textField(8, name),
    bytesField(9, new Uint8Array(data.buffer, data.byteOffset, data.byteLength)),
  );
}

/** A `ValueInfoProto` of a tensor of floats. */
function valueInfoOf(name: string, shape: Shape): Fields {
  const dimensions = shape.map((size) => messageField(1, typeof size === "number" ? integerField(1, size) : textField(2, size)));
  const tensor = fields(integerField(1, FLOAT), messageField(2, fields(...dimensions)));
  return fields(textField(1, name), messageField(2, messageField(1, tensor)));
}
