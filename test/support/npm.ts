/** Environment variables a machine needs to reach its registry, for example behind a proxy with its own certificate. */
const REACHING = ["HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy", "NODE_EXTRA_CA_CERTS", "npm_config_registry", "npm_config_cafile"];

/** npm settings for tests that install: access to the registry, preference for cached packages, and a fetch timeout. */
export const NPM_SETTINGS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(REACHING.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]))),
  npm_config_prefer_offline: "true",
  npm_config_fetch_timeout: "30000",
};
