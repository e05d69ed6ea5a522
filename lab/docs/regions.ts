/** Makers of generated parts, by the name that a page gives between its marks. */
export type Makers = Readonly<Record<string, () => string>>;

const REGION = /(<!-- generated: ([a-z-]+) -->\n)[\s\S]*?(<!-- \/generated -->)/g;

/**
 * Replaces each generated part of a page, marked by `<!-- generated: NAME -->` and `<!-- /generated -->`.
 * @throws Error when no maker has the name
 */
export function fillRegions(page: string, makers: Makers): string {
  return page.replace(REGION, (_whole, open: string, name: string, close: string) => {
    const make = makers[name];
    if (make === undefined) throw new Error(`No generator makes "${name}". Known: ${Object.keys(makers).join(", ")}.`);
    return `${open}${make()}\n${close}`;
  });
}
