import type { ButtonHTMLAttributes } from "react";

/** A button of second rank. */
export function QuietButton(props: Omit<ButtonHTMLAttributes<HTMLButtonElement>, "className" | "type">) {
  return <button type="button" className="quiet-button" {...props} />;
}

/** Why something failed, spoken at once; nothing where it did not. */
export function Alert({ text }: { readonly text: string | null }) {
  return text === null ? null : (
    <p role="alert" className="message is-warning">
      {text}
    </p>
  );
}

/** A text that leads somewhere, where there is an address; what lies on the web opens beside the page. */
export function Linked({ text, href }: { readonly text: string; readonly href: string | null }) {
  if (href === null) return text;
  return (
    <a href={href} target={href.startsWith("http") ? "_blank" : undefined} rel="noopener noreferrer nofollow">
      {text}
    </a>
  );
}

/** Marks words that no file holds: they were read off a picture. */
export function Recognised() {
  return <span className="tag is-recognised">read by OCR, may be wrong</span>;
}
