// @ts-expect-error The types of the package are those of Node, too, which a page does not have.
import papa from 'papaparse/papaparse.min.js';
import { readPayments, summarizePayments } from 'splwright-client/payments-file';

/** @import { BatchTransfer } from 'splwright-client' */

export { summarizePayments };

/**
 * Reads a table whose columns are named as the fields of the API are.
 * @param {string} text
 * @param {readonly string[]} columns
 */
export function readTable(text, columns) {
  const named = columns.map((name) => [name, /** @type {keyof BatchTransfer} */ (name)]);
  return readPayments(papa, text, Object.fromEntries(named));
}
