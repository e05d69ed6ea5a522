import { lookup } from "node:dns/promises";
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectSecurely } from "node:tls";

/** How hosts become addresses and addresses connections. Tests bring their own; which addresses are taken is decided elsewhere, whatever is brought. */
export interface WebNetwork {
  /** All addresses of a host. */
  resolve(host: string): Promise<readonly string[]>;
  /** Opens a connection to exactly this address; with `secure` as the host that the certificate must name. */
  connect(target: ConnectTarget): Duplex;
}

export interface ConnectTarget {
  readonly address: string;
  readonly port: number;
  readonly host: string;
  readonly secure: boolean;
}

/** The network as it is: the system's resolver, TCP, TLS with certificates checked. */
export const INTERNET: WebNetwork = {
  async resolve(host) {
    const found = await lookup(host, { all: true });
    return found.map(({ address }) => address);
  },
  connect: ({ address, port, host, secure }) =>
    secure
      ? connectSecurely({ host: address, port, servername: host, rejectUnauthorized: true, ALPNProtocols: ["http/1.1"] })
      : connect({ host: address, port }),
};
