import { useEffect, useRef, useState } from "react";

export interface DropFieldProps {
  readonly onFiles: (files: readonly File[]) => void;
}

/** Takes files in: dropped on it, or chosen with the button inside. */
export function DropField({ onFiles }: DropFieldProps) {
  const [over, setOver] = useState(false);
  const field = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = field.current;
    if (element === null) return;
    const ended = new AbortController();
    const { signal } = ended;
    const drag = (event: DragEvent) => {
      event.preventDefault();
      setOver(true);
    };
    const drop = (event: DragEvent) => {
      event.preventDefault();
      setOver(false);
      onFiles([...(event.dataTransfer?.files ?? [])]);
    };
    element.addEventListener("dragover", drag, { signal });
    element.addEventListener("dragleave", () => setOver(false), { signal });
    element.addEventListener("drop", drop, { signal });
    return () => ended.abort();
  }, [onFiles]);
  return (
    <div ref={field} className={over ? "drop is-over" : "drop"}>
      <p>Drop files here: PDF, Word, EPUB, spreadsheets, mail, HTML, Markdown, text. The same name again replaces a file.</p>
      <input
        type="file"
        multiple
        aria-label="Files to take in"
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          event.target.value = "";
        }}
      />
    </div>
  );
}
