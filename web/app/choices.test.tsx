import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { Choices, type ChoicesProps } from "./app.tsx";

const library = { name: "library", title: "Library", documents: 2, description: "", examples: [], golden: false, profile: "one" };
const town = { ...library, default: true, tenants: [{ name: "north", title: "North" }] };
const profiles = [
  { name: "one", title: "First" },
  { name: "two", title: "Second" },
];
const account: ChoicesProps["account"] = {
  domain: town,
  domains: { type: "ready", value: { domains: [town], profiles } },
  preferences: { domain: "library", tenant: "", profile: "", theme: "system" },
  prefer: () => {},
};
const labels = (asks: boolean) =>
  [...renderToStaticMarkup(<Choices account={account} asks={asks} />).matchAll(/<label[^>]*>(.*?)</g)].map(([, label]) => label);

describe("the choices at the head of the page", () => {
  it("hold the method only where something is asked: elsewhere it decides nothing", () => {
    expect(labels(true)).toEqual(["For", "Method"]);
    expect(labels(false)).toEqual(["For"]);
  });
});
