import { useId, useState } from "react";
import { formatCount, formatShare } from "../format.ts";
import { Near, NearParts } from "../kit/near.tsx";
import type { RunItem } from "./read-items.ts";

const KINDS = [
  ["", "all questions"],
  ["wrong", "wrong answers"],
  ["missed", "not answered, though they could be"],
  ["right", "right answers"],
  ["refused", "rightly not answered"],
] as const;

/** Pixels that an item takes, until it is known. */
const ITEM_PX = 90;

/** Every question of a run, with what became of it. */
export function ItemList({ items }: { readonly items: readonly RunItem[] }) {
  const [kind, setKind] = useState("wrong");
  const id = useId();
  const found = items.filter((item) => kind === "" || outcomeOf(item) === kind);
  return (
    <section aria-label="Questions of the run">
      <div className="filters">
        <label htmlFor={id}>Show</label>
        <select id={id} className="field" value={kind} onChange={(event) => setKind(event.target.value)}>
          {KINDS.map(([name, title]) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
        <span role="status">{formatCount(found.length, "question")}</span>
      </div>
      <ol className="weighed">
        <NearParts>
          {found.map((item, place) => (
            <li key={item.id}>
              <Near height={ITEM_PX} eager={place < 10} label={item.question}>
                <Item {...item} />
              </Near>
            </li>
          ))}
        </NearParts>
      </ol>
    </section>
  );
}

function Item(item: RunItem) {
  const { question, kind, text, refusal, confidence, lacks } = item;
  const outcome = outcomeOf(item);
  const good = outcome === "right" || outcome === "refused";
  return (
    <>
      <p>
        <span className={`verdict is-${good ? "pass" : "fail"}`}>{OUTCOMES[outcome]}</span> <strong>{question}</strong>
      </p>
      <p className="muted">
        {kind.replaceAll("_", " ")}
        {confidence === null ? "" : `, confidence ${formatShare(confidence)}`}
        {refusal === null ? "" : `, ${refusal.replaceAll("_", " ")}`}
        {lacks.length === 0 ? "" : `, lacks ${lacks.join(", ")}`}
      </p>
      {text === "" ? null : <blockquote className="read">{text}</blockquote>}
    </>
  );
}

const OUTCOMES = { right: "right", wrong: "wrong", missed: "missed", refused: "rightly refused" } as const;

function outcomeOf({ kind, shown, right }: RunItem): keyof typeof OUTCOMES {
  if (shown) return right ? "right" : "wrong";
  return kind === "answerable" ? "missed" : "refused";
}
