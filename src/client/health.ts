/** What `GET /healthz` answers. */
export interface WireHealth {
  readonly status: "ok" | "degraded";
  readonly domain: string;
  readonly documents: number;
  readonly chunks: number;
  readonly revision: number;
  readonly version: string;
  readonly encoder: string;
  readonly model: string;
}
