/** Milliseconds after which the blob's memory is freed. By then the browser has saved it. */
const READ_MS = 10_000;

/** Saves a text as a file. */
export function download(name: string, type: string, text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), READ_MS);
}
