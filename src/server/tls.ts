import { readFileSync, statSync } from "node:fs";
import { createServer, type Server } from "node:https";
import { createSecureContext } from "node:tls";
import { ConfigError, messageOf } from "../errors.ts";

/** Milliseconds between two looks whether the files have been replaced: certificates are renewed by other programs. */
const CHECK_MS = 60_000;

/** Files of a certificate with its chain and of its key, PEM. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

export interface Tls {
  readonly createServer: typeof createServer;
  /** Certificate and key as they are now. */
  readonly options: { readonly cert: Buffer; readonly key: Buffer; readonly minVersion: "TLSv1.2" };
  /** Has the server take the files anew when they change; what cannot be read leaves the old ones. Returns what ends it. */
  follow(server: Server, failed: (reason: string) => void): () => void;
}

/** @throws ConfigError `config_tls` when the files cannot be read, or are no certificate with its key */
export function openTls(files: TlsFiles, checkMs: number = CHECK_MS): Tls {
  const read = () => ({ cert: readFileSync(files.cert), key: readFileSync(files.key), minVersion: "TLSv1.2" as const });
  const changedAt = () => Math.max(statSync(files.cert).mtimeMs, statSync(files.key).mtimeMs);
  let options: Tls["options"];
  let seen: number;
  try {
    seen = changedAt();
    options = read();
    createSecureContext(options);
  } catch (cause) {
    const message = `server.tls cannot be used (${messageOf(cause)}): name a certificate and its key as PEM files that this user may read.`;
    throw new ConfigError("config_tls", message, { cert: files.cert }, { cause });
  }
  return {
    createServer,
    options,
    follow(server, failed) {
      const timer = setInterval(() => {
        try {
          const at = changedAt();
          if (at === seen) return;
          seen = at;
          const fresh = read();
          createSecureContext(fresh);
          server.setSecureContext(fresh);
        } catch (error) {
          failed(messageOf(error));
        }
      }, checkMs);
      timer.unref();
      return () => clearInterval(timer);
    },
  };
}
