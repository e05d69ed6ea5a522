import { describe, expect, it } from "vitest";
import { readRecord } from "./records.ts";

const read = (value: unknown) => readRecord(JSON.stringify(value));

describe("readRecord", () => {
  it("makes a line of each key and value, with the keys above it", () => {
    expect(read({ hours: { Monday: "9:0-17:0" }, stars: 4 })?.lines.map(({ text }) => text)).toEqual(["hours monday 9:0-17:0", "stars 4"]);
  });

  it("tells what is affirmed, denied and left open", () => {
    const record = read({ WiFi: "no", OutdoorSeating: true, Parking: { valet: false }, Music: null, Menu: "" });
    expect(record?.lines.map(({ text, affirmed, flag }) => ({ text, affirmed, flag }))).toEqual([
      { text: "wifi", affirmed: false, flag: true },
      { text: "outdoor seating", affirmed: true, flag: true },
      { text: "parking valet", affirmed: false, flag: true },
    ]);
    expect(record?.unknown).toEqual([["music"], ["menu"]]);
  });

  it("leaves out of a key what most keys share", () => {
    const record = read({ RestaurantsTakeOut: true, RestaurantsReservations: false, RestaurantsDelivery: true });
    expect(record?.lines.map(({ key }) => key)).toEqual([["take", "out"], ["reservations"], ["delivery"]]);
  });

  it("takes running text as it stands", () => {
    const text = "We came for breakfast and stayed for lunch because the coffee was so good that nobody wanted to leave.";
    expect(read({ reviews: [{ text }] })?.lines).toEqual([{ text, affirmed: true, key: [], flag: false }]);
  });

  it("reads nothing else as a record", () => {
    for (const text of ["", "prose", "{not json", '"text"', "12", "[link](x)", "null"]) expect(readRecord(text), text).toBeNull();
    expect(readRecord("{}")?.lines).toEqual([]);
    expect(readRecord("[".repeat(50) + "]".repeat(50))).not.toBeNull();
  });
});
