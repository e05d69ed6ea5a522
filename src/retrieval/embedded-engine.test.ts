import { describeSearchEngineContract } from "../testing/search-engine-contract.ts";
import { EmbeddedEngine } from "./embedded-engine.ts";

describeSearchEngineContract("EmbeddedEngine", async () => new EmbeddedEngine({ domain: "d" }));
