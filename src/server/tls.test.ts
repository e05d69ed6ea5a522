import { execFileSync } from "node:child_process";
import { readFileSync, utimesSync, writeFileSync } from "node:fs";
import { request as plainRequest } from "node:http";
import { request } from "node:https";
import { join } from "node:path";
import { connect, type TLSSocket } from "node:tls";
import { describe, expect, it, onTestFinished } from "vitest";
import { folderOfFile } from "../../test/support/folders.ts";
import { createFakeAskEngine } from "../testing/fake-ask-engine.ts";
import { silentLog } from "./access/guard.ts";
import { createApp } from "./app.ts";
import { openTls, serve } from "./serve.ts";

const folder = folderOfFile();

const hasOpenssl = (() => {
  try {
    execFileSync("openssl", ["version"], { stdio: "pipe" });
    return true;
  } catch {
    process.stderr.write("tests of TLS on a socket are skipped: there is no openssl to make a certificate with\n");
    return false;
  }
})();

function certificate(name: string, host: string) {
  const files = { cert: join(folder, `${name}.pem`), key: join(folder, `${name}.key`) };
  const made = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  const whose = ["-subj", `/CN=${host}`, "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
  execFileSync("openssl", ["req", ...made, ...whose, "-keyout", files.key, "-out", files.cert], { stdio: "pipe" });
  return files;
}

function get(url: string, ca: Buffer): Promise<{ status: number; hsts: string | undefined }> {
  return new Promise((resolve, reject) => {
    request(url, { ca, agent: false }, (response) => {
      response.resume();
      resolve({ status: response.statusCode ?? 0, hsts: response.headers["strict-transport-security"] });
    })
      .once("error", reject)
      .end();
  });
}

function subjectAt(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket: TLSSocket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      socket.destroy();
    });
    socket.once("error", reject);
  });
}

describe.skipIf(!hasOpenssl)("TLS on a socket", () => {
  it("answers over HTTPS with HSTS, rejects old versions and plain HTTP, and loads a renewed certificate", async () => {
    const files = certificate("live", "first.example");
    const failures: string[] = [];
    const app = createApp({ engine: createFakeAskEngine(), log: silentLog, webRoot: "/nowhere" });
    const server = await serve(app, { host: "127.0.0.1", port: 0 }, openTls(files, 20), (reason) => failures.push(reason));
    onTestFinished(() => server.close());
    expect(server.url).toMatch(/^https:/);
    const port = Number(new URL(server.url).port);
    expect(await get(`${server.url}/healthz`, readFileSync(files.cert))).toEqual({
      status: 200,
      hsts: expect.stringContaining("max-age="),
    });
    await expect(get(`${server.url}/healthz`, readFileSync(certificate("other", "other.example").cert))).rejects.toThrow();
    const plain = new Promise((resolve, reject) => {
      plainRequest({ port, host: "127.0.0.1", path: "/healthz", agent: false }, resolve).once("error", reject).end();
    });
    await expect(plain).rejects.toThrow();
    const old = new Promise((resolve, reject) => {
      connect({ port, host: "127.0.0.1", rejectUnauthorized: false, minVersion: "TLSv1", maxVersion: "TLSv1.1" }, () =>
        resolve("old"),
      ).once("error", reject);
    });
    await expect(old).rejects.toThrow();

    const renewed = certificate("renewed", "second.example");
    writeFileSync(files.cert, "broken");
    await expect.poll(() => failures.length).toBeGreaterThan(0);
    expect(await subjectAt(port)).toBe("first.example");
    writeFileSync(files.key, readFileSync(renewed.key));
    writeFileSync(files.cert, readFileSync(renewed.cert));
    const later = new Date(Date.now() + 5_000);
    utimesSync(files.cert, later, later);
    await expect.poll(() => subjectAt(port)).toBe("second.example");
  });
});
