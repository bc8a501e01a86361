/** How many cases a property is tried on: this many, and a tenth of them in `npm test`, at least 10. */
export function propertyRuns(count: number): number {
  return process.env.TEST_QUICK === undefined ? count : Math.max(10, Math.ceil(count / 10));
}
