import { exactSearch, MetricKind } from "usearch";

export const peer = {
  name: "usearch exact",
  package: "usearch",
  async vectors(rows) {
    const dimensions = rows[0].length;
    const matrix = new Float32Array(rows.length * dimensions);
    for (const [id, row] of rows.entries()) matrix.set(row, id * dimensions);
    return async (query, k) => Array.from(exactSearch(matrix, query.slice(), dimensions, k, MetricKind.IP, 1).keys, Number);
  },
};
