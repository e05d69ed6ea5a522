import { create, insert, searchVector } from "@orama/orama";

export const peer = {
  name: "Orama",
  package: "@orama/orama",
  async vectors(rows) {
    const store = create({ schema: { embedding: `vector[${rows[0].length}]` } });
    for (const [id, row] of rows.entries()) await insert(store, { id: String(id), embedding: [...row] });
    return async (query, k) => {
      const vector = { value: [...query], property: "embedding" };
      return (await searchVector(store, { vector, similarity: 0, limit: k })).hits.map(({ id }) => Number(id));
    };
  },
};
