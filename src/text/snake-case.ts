/** A value with its keys as they travel (`createdAt` → `created_at`), all the way down; of objects that are not keyed by data. */
export function toSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toSnakeCase);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), toSnakeCase(inner)]),
  );
}
