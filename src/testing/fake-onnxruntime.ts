import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * `onnxruntime-node` without a runtime, as an installed package: a session gives the mean over the tokens of words times the rest. It knows a model by its first bytes,
 * and `program` stands in the place of all that.
 */
export function writeFakeOnnxRuntime(folder: string, { version = "0.0.0", program = RUNTIME } = {}): string {
  const root = join(folder, "node_modules", "onnxruntime-node");
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, "package.json"), JSON.stringify({ name: "onnxruntime-node", version, main: "index.js" }));
  writeFileSync(join(root, "index.js"), program);
  return join(root, "index.js");
}

const RUNTIME = `
class Tensor {
  constructor(type, data, dims) { Object.assign(this, { type, data, dims }); }
}
class InferenceSession {
  static async create(model) {
    if (model[0] !== 8 || model[1] !== 9) throw new Error("protobuf parsing failed");
    return {
      async run({ words, rest }) {
        const [tokens, hidden] = words.dims;
        const data = new Float32Array(hidden);
        for (let at = 0; at < tokens * hidden; at++) data[at % hidden] += (words.data[at] * rest.data[at]) / tokens;
        return { mean: new Tensor("float32", data, [hidden]) };
      },
    };
  }
}
module.exports = { Tensor, InferenceSession };
`;
