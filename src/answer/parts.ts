import type { AdmitParts } from "./admit.ts";
import type { AssembleParts } from "./assemble.ts";
import type { CheckParts } from "./check.ts";
import type { CompressParts } from "./compress.ts";
import type { DecideParts } from "./decide.ts";
import type { LookupParts } from "./lookup.ts";
import type { RecallParts } from "./recall.ts";
import type { RefuseParts } from "./refuse.ts";
import type { RememberParts } from "./remember.ts";
import type { RetrieveStageParts, UnfinishedParts } from "./retrieve.ts";
import type { VerifyParts } from "./verify.ts";
import type { WebStageParts } from "./web.ts";
import type { WriteParts } from "./write.ts";

/** Everything that a question passes through, wired by the engine. Each stage names what it needs of it; none is given more. */
export type AnswerParts = AdmitParts &
  LookupParts &
  RetrieveStageParts &
  RecallParts &
  VerifyParts &
  DecideParts &
  WebStageParts &
  CompressParts &
  WriteParts &
  CheckParts &
  RefuseParts &
  UnfinishedParts &
  AssembleParts &
  RememberParts & {
    /** Milliseconds, monotonic. */
    readonly clock: () => number;
    /** Waited for before each stage: questions share one thread. */
    readonly turn: () => Promise<void>;
  };
