/** Variables by which a machine reaches its registry: behind a proxy with a certificate of its own nothing else does. */
const REACHING = ["HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy", "NODE_EXTRA_CA_CERTS", "npm_config_registry", "npm_config_cafile"];

/** What npm is told where a test installs: how to reach its registry, that what it has is not asked for again, and that one that falls silent is asked anew. */
export const NPM_SETTINGS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(REACHING.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]))),
  npm_config_prefer_offline: "true",
  npm_config_fetch_timeout: "30000",
};
