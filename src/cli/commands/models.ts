import { openSharedReader } from "../../cross-encoder/create-reader.ts";
import { loadEmbeddedEncoder } from "../../models/embedded-encoder.ts";
import { configuredSpec } from "../../models/encoder-spec.ts";
import { DEFAULT_DTYPE, DTYPES, hubModelFacts, hubModelNames } from "../../models/hub/catalog.ts";
import { listLocalModels } from "../../models/hub/local.ts";
import { pullModel } from "../../models/hub/pull.ts";
import {
  findHubRuntime,
  HUB_PACKAGE,
  HUB_PACKAGE_VERSION,
  HUB_RUNTIME_MB,
  installArguments,
  installHubRuntime,
} from "../../models/hub/runtime.ts";
import { type Config, hubFolders } from "../../shared/config.ts";
import { ConfigError } from "../../shared/errors.ts";
import { DOMAIN, define, JSON_OUT, printResult } from "../command.ts";
import { configOf, withEngine } from "../context.ts";

export const addModelsCommand = define("models", {
  description: "manage encoders and rerankers on this machine: list, download, install the runtime",
  commands: [
    define("list", {
      description: "list installed models with size, type and licence, and show which one is in use",
      options: [JSON_OUT],
      async run({ flags: { json }, command, context, terminal }) {
        const config = configOf(context, command);
        const { modelsDir, runtimeDirs } = hubFolders(config);
        const opened = openSharedReader();
        await opened.close();
        printResult(terminal, json, {
          ...{ models_dir: modelsDir, runtime: findHubRuntime(runtimeDirs)?.version ?? null, reader: { name: opened.weights.name } },
          models: [embeddedModel(config), ...endpointModel(config), ...localModels(config)],
        });
      },
    }),
    define("pull", {
      description: "download a Hugging Face model; continues an interrupted download",
      argument: ["<name>", `${hubModelNames.join(", ")}, or owner/name of any repository with ONNX weights`],
      options: [["--dtype <precision>", "precision of the weights", { choices: DTYPES, default: DEFAULT_DTYPE }], JSON_OUT],
      help: "\nExamples:\n  sourcebound models pull all-MiniLM-L6-v2\n  sourcebound models pull cross-encoder/ms-marco-MiniLM-L-6-v2",
      async run({ flags: { dtype, json }, given: name, command, context, terminal, signal }) {
        const config = configOf(context, command);
        const { modelsDir } = hubFolders(config);
        for await (const event of pullModel(name, { hubUrl: config.hub_url, modelsDir, dtype, signal })) {
          if (event.type === "start")
            terminal.error(`${event.repository} (${event.licence ?? "licence unknown"}), ${megabytes(event.bytes)}`);
          else if (event.type === "bytes") terminal.progress(`${megabytes(event.done)} of ${megabytes(event.total)}  ${event.file}`);
          else {
            const { folder, bytes, fetched } = event;
            const saved = `${name} was saved to ${folder} (${megabytes(fetched)} downloaded).`;
            terminal.print(
              json ? JSON.stringify({ name, folder, bytes, fetched }) : `${saved} ${terminal.asTyped(nextStep(name, config))}`,
            );
          }
        }
      },
    }),
    define("install", {
      description: `install ${HUB_PACKAGE} ${HUB_PACKAGE_VERSION}, which runs Hugging Face models (${HUB_RUNTIME_MB} MB, optional)`,
      options: [
        ["--again", "reinstall even if it is installed"],
        ["--home", "install into your home folder, for all data folders"],
        JSON_OUT,
      ],
      async run({ flags: { again, home, json }, command, context, terminal, signal }) {
        const show = (value: object, text: string) => terminal.print(json ? JSON.stringify(value) : text);
        const { runtimeDirs } = hubFolders(configOf(context, command));
        const there = findHubRuntime(runtimeDirs);
        const folder = home ? runtimeDirs[1] : runtimeDirs[0];
        if (there !== null && !again) {
          return show({ version: there.version, installed: false }, `${HUB_PACKAGE} ${there.version} is already installed.`);
        }
        terminal.error(`${HUB_RUNTIME_MB} MB will be written to ${folder} by: npm ${installArguments(folder).join(" ")}`);
        for await (const event of installHubRuntime(folder, { env: context.process.env, signal })) {
          if (event.type === "line") terminal.error(terminal.colors.dim(event.text));
          else if (event.type === "bytes") terminal.progress(`${megabytes(event.bytes)} of about ${HUB_RUNTIME_MB} MB`);
          else show({ version: event.version, installed: true, folder }, `${HUB_PACKAGE} ${event.version} was installed in ${folder}.`);
        }
      },
    }),
    define("switch", {
      description:
        "switch to another encoder once its vectors are computed; until then the old one stays in use. The switch lasts until the configuration names another encoder",
      argument: ["<name>", "encoder to switch to: `embedded`, `configured` (the one in the configuration), or a Hugging Face model"],
      options: [
        ["--dtype <precision>", "precision of a Hugging Face model's weights", { choices: DTYPES, default: DEFAULT_DTYPE }],
        DOMAIN,
        JSON_OUT,
      ],
      async run({ flags: { dtype, domain, json }, given: name, command, context, terminal, signal }) {
        const config = configOf(context, command);
        const target = name === "configured" ? configuredSpec(config) : name === "embedded" ? name : { hub: name, dtype };
        if (config.embeddings === "none" || target === null) {
          throw new ConfigError(
            "config_invalid",
            'embeddings is "none", so there are no vectors to switch. Set an encoder in the configuration.',
          );
        }
        await withEngine(context, config, async (engine) => {
          const begun = Date.now();
          const onEmbed = (done: number, total: number) => terminal.progress(`vectors: ${done}/${total} windows`);
          const switched = await engine.switchEncoder(target, { domain, signal, onEmbed });
          const text = `Domain ${switched.domain} now ranks with the encoder ${switched.encoder} (${((Date.now() - begun) / 1000).toFixed(1)} s).`;
          terminal.print(json ? JSON.stringify({ ...switched, ms: Date.now() - begun }) : text);
        });
      },
    }),
  ],
});

function embeddedModel({ embeddings }: Config) {
  const { id } = loadEmbeddedEncoder();
  return { name: id, kind: "encoder (embedded)", bytes: null, dtypes: [], licence: "Apache-2.0", in_use: embeddings === "embedded" };
}

function endpointModel({ embeddings }: Config) {
  if (typeof embeddings === "string" || "hub" in embeddings) return [];
  const { base_url, model } = embeddings;
  return [{ name: model, kind: `encoder at ${new URL(base_url).host}`, bytes: null, dtypes: [], licence: null, in_use: true }];
}

function localModels(config: Config) {
  const wanted = typeof config.embeddings === "object" && "hub" in config.embeddings ? config.embeddings.hub : null;
  const nameOf = (name: string) => hubModelFacts(name)?.repository ?? name;
  return listLocalModels(hubFolders(config).modelsDir).map(({ path, kind, bytes, dtypes, licence }) => {
    return { name: path, kind, bytes, dtypes, licence, in_use: wanted !== null && nameOf(wanted) === nameOf(path) };
  });
}

function nextStep(name: string, config: Config): string {
  if (findHubRuntime(hubFolders(config).runtimeDirs) === null) return "Next: run `sourcebound models install`.";
  return hubModelFacts(name)?.kind === "reranker" ? "" : `To use it, set SOURCEBOUND_EMBEDDINGS_HUB=${name}.`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
