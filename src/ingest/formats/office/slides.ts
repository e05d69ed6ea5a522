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
  readonly notes: (out: ExtractedText) => void;
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
    const write = () => {
      slide.body(out);
      out.under("h2", "Speaker notes", () => slide.notes(out));
    };
    const heading = slide.isHidden ? `${shown} (hidden slide)` : shown;
    if (slide.title === "") out.under("h1", heading, write);
    else {
      out.element("h1", () => out.text(heading));
      write();
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
