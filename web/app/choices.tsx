import { useId } from "react";
import type { Account } from "./use-account.ts";

export interface ChoicesProps {
  readonly account: Pick<Account, "domain" | "domains" | "preferences" | "prefer">;
  /** Is something asked here? Elsewhere the method decides nothing. */
  readonly asks: boolean;
}

/** What is asked, for whom and how; only what there is a choice of. */
export function Choices({ account: { domain, domains, preferences, prefer }, asks }: ChoicesProps) {
  // Its place is kept while it is looked up.
  if (domains.type !== "ready" || domain === null) return <div className="choices" />;
  const known = domains.value;
  const tenants = [{ name: "", title: "Everybody" }, ...domain.tenants];
  const profiles = known.profiles.map(({ name, title }) =>
    name === domain.profile ? { name: "", title: `Usual (${name})` } : { name, title: `${name} – ${title}` },
  );
  return (
    <div className="choices">
      <Choice
        label="Documents"
        value={domain.name}
        options={known.domains.map(({ name, title }) => ({ name, title }))}
        onChoose={(name) => prefer({ domain: name, tenant: "" })}
      />
      <Choice
        label="For"
        value={tenants.some(({ name }) => name === preferences.tenant) ? preferences.tenant : ""}
        options={tenants}
        onChoose={(tenant) => prefer({ tenant })}
      />
      {asks ? <Choice label="Method" value={preferences.profile} options={profiles} onChoose={(profile) => prefer({ profile })} /> : null}
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly { readonly name: string; readonly title: string }[];
  readonly onChoose: (name: string) => void;
}

function Choice({ label, value, options, onChoose }: ChoiceProps) {
  const id = useId();
  if (options.length < 2) return null;
  return (
    <span className="choice">
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChoose(event.target.value)}>
        {options.map(({ name, title }) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </select>
    </span>
  );
}
