/** Marks words that no file holds: they were read off a picture. */
export function Recognised() {
  return <span className="tag is-recognised">read by OCR, may be wrong</span>;
}
