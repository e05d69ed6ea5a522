import type { ButtonHTMLAttributes } from "react";

export function QuietButton(props: Omit<ButtonHTMLAttributes<HTMLButtonElement>, "className" | "type">) {
  return <button type="button" className="quiet-button" {...props} />;
}

/** Shows an error, which screen readers read out. Renders nothing for `null`. */
export function Alert({ text }: { readonly text: string | null }) {
  return text === null ? null : (
    <p role="alert" className="message is-warning">
      {text}
    </p>
  );
}

/** A link, or plain text if there is no URL. Links to web pages open a new tab. */
export function Linked({ text, href }: { readonly text: string; readonly href: string | null }) {
  if (href === null) return text;
  return (
    <a href={href} target={href.startsWith("http") ? "_blank" : undefined} rel="noopener noreferrer nofollow">
      {text}
    </a>
  );
}

/** A tag for text that was read by OCR. */
export function Recognised() {
  return <span className="tag">read by OCR, may be wrong</span>;
}
