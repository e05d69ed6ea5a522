import type { ReadingNotice } from "../../../shared/types.ts";
import { textOffsetsOf } from "../../pages.ts";
import { type FormatResult, plainMetadata, statedDay, titleOf, topLines } from "../parsed.ts";
import { ExtractedText } from "./extracted-text.ts";

/** A slide of a presentation. Callbacks write its contents in reading order. */
export interface Slide {
  /** Empty without a title. */
  readonly title: string;
  readonly isHidden: boolean;
  readonly body: (out: ExtractedText) => void;
  /** Speaker notes; `null` without any. */
  readonly notes: ((out: ExtractedText) => void) | null;
}

/**
 * Writes slides in order: the title as heading, the text, then the speaker notes under a heading that names them. Slides without a title
 * get their number, so that their text does not belong to the slide before. The number of a slide is its page.
 */
export function writeSlides(
  slides: readonly Slide[],
  { name, title, notices }: { readonly name: string; readonly title: string | null; readonly notices: readonly ReadingNotice[] },
): FormatResult {
  const out = new ExtractedText();
  const starts = slides.map((slide, i) => {
    const start = out.length;
    const shown = slide.title === "" ? `Slide ${i + 1}` : slide.title;
    out.element("h1", () => out.text(slide.isHidden ? `${shown} (hidden slide)` : shown));
    slide.body(out);
    out.flushNotes();
    if (slide.notes !== null) {
      out.element("h2", () => out.text("Speaker notes"));
      slide.notes(out);
    }
    return start;
  });
  const written = out.finish();
  return {
    ...written,
    pages: starts.length === 0 ? null : textOffsetsOf(starts, written.sourceMap, written.text.length),
    metadata: plainMetadata(titleOf(written) ?? title ?? name, { asOf: statedDay(topLines(written)) }),
    unit: "extracted_utf16",
    notices: [...notices, ...out.notices()],
  };
}
