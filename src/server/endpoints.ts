import type { Endpoint } from "./endpoint.ts";
import { mcpEndpoint } from "./mcp.ts";
import { adminEndpoints } from "./routes/admin.ts";
import { answerEndpoints } from "./routes/answers.ts";
import { askEndpoints, batchEndpoints } from "./routes/ask.ts";
import { chatEndpoints } from "./routes/chat.ts";
import { libraryEndpoints } from "./routes/library.ts";
import { responseEndpoints } from "./routes/responses.ts";
import { reviewEndpoints } from "./routes/review.ts";
import { serviceEndpoints } from "./routes/service.ts";

export type { Endpoint } from "./endpoint.ts";

/** All routes, in the order of the documentation. */
export const ENDPOINTS = {
  ...askEndpoints,
  ...batchEndpoints,
  ...answerEndpoints,
  ...libraryEndpoints,
  ...reviewEndpoints,
  ...adminEndpoints,
  ...chatEndpoints,
  ...responseEndpoints,
  mcp: mcpEndpoint,
  ...serviceEndpoints,
} satisfies Record<string, Endpoint>;

export type EndpointName = keyof typeof ENDPOINTS;
