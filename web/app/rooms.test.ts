import { describe, expect, it } from "vitest";
import { entered, roomsFor } from "./app.tsx";

const names = (...roles: string[]) => roomsFor(roles).map(({ name }) => name);

describe("rooms", () => {
  it("are those that the roles open, Ask too", () => {
    expect(names("ask")).toEqual(["ask"]);
    expect(names("ingest")).toEqual(["library"]);
    expect(names("ask", "review")).toEqual(["ask", "review", "graph"]);
    expect(names("metrics")).toEqual([]);
  });

  it("begin with the first that is open; a room that is named is gone to", () => {
    const of = (route: Parameters<typeof entered>[0], ...roles: string[]) => entered(route, roles).room;
    expect(of({ room: "ask" }, "ask", "ingest")).toBe("ask");
    expect(of({ room: "ask" }, "ingest")).toBe("library");
    expect(of({ room: "ask" }, "review")).toBe("review");
    expect(of({ room: "ask" }, "metrics")).toBe("ask");
    expect(of({ room: "monitor" }, "review")).toBe("monitor");
    expect(of({ room: "answer", id: "1" }, "review")).toBe("answer");
  });
});
