import { expect, it } from "vitest";
import { documentPath, fileOfDocument } from "./document-path.ts";

it.each(["a.md", "a b/c.json", "c#.md", "100%.md", "%23.md", "%2523#.md", "%25.md"])("%s is found again by its document's path", (file) => {
  expect(fileOfDocument(documentPath(file))).toBe(file);
  expect(fileOfDocument(`${documentPath(file)}#entry-1`)).toBe(file);
});
