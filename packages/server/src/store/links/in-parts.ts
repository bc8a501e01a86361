/** SQLite allows 32,766 parameters in a query; so few keep one short. */
const maxValuesPerQuery = 500;

/** Divides the values of a query into parts, each of which one query takes. */
export function* inParts<Value>(values: readonly Value[]): Generator<readonly Value[]> {
  for (let start = 0; start < values.length; start += maxValuesPerQuery) {
    yield values.slice(start, start + maxValuesPerQuery);
  }
}
