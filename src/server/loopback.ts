/** Whether a host to bind to is reachable from this machine only. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host);
}

/**
 * Whether a `Host` header may reach a server bound to loopback. A page of another site can make a browser send requests here under its
 * own name (DNS rebinding); only these names cannot be made to point elsewhere.
 */
export function isLoopbackHostHeader(header: string): boolean {
  return /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i.test(header);
}
