import { getDocumentProxy, getResolvedPDFJS } from "unpdf";
import { describe, expect, test } from "vitest";
import { makePdf, type PdfMadeOptions } from "../../testing/made-pdf.ts";
import { readOperators } from "./operators.ts";
import { createPort, openWorker } from "./port.ts";

const BLOCKS = [
  { type: "heading", level: 1, text: "Findings of the office" },
  { type: "paragraph", text: Array.from({ length: 400 }, (_, i) => `The office files ${i} forms.`).join(" ") },
  { type: "table", isRuled: true, rows: Array.from({ length: 5 }, (_, i) => [`Rate ${i}`, `${i} percent`]) },
] as const;

/** Operators of every page with what they are given, read by the library alone or through our port. */
async function operatorsOf(bytes: Uint8Array, isOurs: boolean): Promise<unknown[]> {
  const worker = isOurs ? openWorker(await getResolvedPDFJS()) : null;
  const joined = worker === null ? {} : { worker, disableFontFace: false, ownerDocument: { fonts: new Set() } };
  const options = { verbosity: 0, useSystemFonts: false, disableFontFace: true, ...joined };
  const document = await getDocumentProxy(Uint8Array.from(bytes), options as unknown as Parameters<typeof getDocumentProxy>[1]);
  const pages: unknown[] = [];
  for (let number = 1; number <= document.numPages; number++) {
    const page = await document.getPage(number);
    const { fnArray, argsArray } = await page.getOperatorList();
    // Documents of one process are numbered in the names of their fonts.
    pages.push(JSON.parse(JSON.stringify([fnArray, argsArray]).replace(/g_d\d+_/g, "g_")));
  }
  await document.loadingTask.destroy();
  worker?.destroy();
  return pages;
}

describe("the port between the halves of the library", () => {
  test.each<[string, PdfMadeOptions]>([
    ["text, tables and a path", { columns: 2, extra: "10 10 m 50 50 l 80 10 60 20 30 30 c f" }],
    // An error on a page is told by a list of operators with nothing to hand over.
    ["operators that are cut off", { extra: "BT /F1 10 Tf (seen) Tj ET <zz> ) Tj" }],
    ["a picture in the page", { extra: "q 40 0 0 40 80 200 cm BI /W 2 /H 2 /CS /G /BPC 8 ID abcd EI Q" }],
  ])("%s: the operators are those that the library reads alone", async (_, options) => {
    const { bytes } = makePdf(BLOCKS, options);
    const ours = await operatorsOf(bytes, true);
    expect(ours).toEqual(await operatorsOf(bytes, false));
    expect(JSON.stringify(ours).length).toBeGreaterThan(10_000);
  });

  test("hands lists of operators over uncopied, copies what else it is given, and answers who asks for shapes of letters", async () => {
    const port = createPort();
    const heard: unknown[] = [];
    port.addEventListener("message", ({ data }) => heard.push(data));
    const letter = { unicode: "a" };
    const [fnArray, argsArray] = [[44], [[[letter]]]];
    const names = { sourceName: "a", targetName: "b" };
    const kept = new Uint8Array([1, 2]);
    const moved = new Uint8Array([3]);
    port.postMessage({ ...names, chunk: { fnArray, argsArray } }, null);
    port.postMessage({ ...names, action: "Font", data: { kept, moved } } as never, [moved.buffer]);
    port.postMessage({ ...names, action: "FontFallback", callbackId: 7 });
    // The sender goes on with its lists at once.
    fnArray.length = 0;
    argsArray.length = 0;
    kept[0] = 9;
    expect(heard).toEqual([]);
    await Promise.resolve();
    expect(heard).toEqual([
      { ...names, chunk: { fnArray: [44], argsArray: [[[letter]]] } },
      { ...names, action: "Font", data: { kept: new Uint8Array([1, 2]), moved: new Uint8Array([3]) } },
      { sourceName: "b", targetName: "a", callback: 1, callbackId: 7, data: null },
    ]);
    expect((heard[0] as { chunk: { argsArray: unknown[][][] } }).chunk.argsArray[0]?.[0]?.[0]).toBe(letter);
    expect(moved).toHaveLength(0);
  });

  test("a listener hears no more once its signal is aborted", async () => {
    const port = createPort();
    const controller = new AbortController();
    const heard: unknown[] = [];
    port.addEventListener("message", ({ data }) => heard.push(data), { signal: controller.signal });
    controller.abort();
    port.postMessage({ sourceName: "a", targetName: "b" });
    await Promise.resolve();
    expect(heard).toEqual([]);
  });
});

test("a font that arrives a little after the operators is waited for", async () => {
  const { OPS } = await getResolvedPDFJS();
  const fonts = new Map<string, object>();
  const known: boolean[] = [];
  const list = { fnArray: [OPS.setFont], argsArray: [["f1", 10]] };
  const getOperatorList = async () => {
    setImmediate(() => fonts.set("f1", {}));
    return list;
  };
  const page = { getViewport: () => ({ width: 1, height: 1, transform: [1, 0, 0, 1, 0, 0] }), getOperatorList, commonObjs: fonts };
  const handler = { setFont: (name: string) => known.push(fonts.has(name)) };
  await readOperators(
    page as unknown as Parameters<typeof readOperators>[0],
    OPS,
    handler as unknown as Parameters<typeof readOperators>[2],
  );
  expect(known).toEqual([true]);
});
