import { LiteParse } from "@llamaindex/liteparse";

const parser = new LiteParse({ ocrEnabled: false, quiet: true });

export const peer = {
  name: "liteparse, native",
  package: "@llamaindex/liteparse",
  async pages(bytes) {
    const { pages } = await parser.parse(Buffer.from(bytes));
    return pages.map(({ text }) => text);
  },
};
