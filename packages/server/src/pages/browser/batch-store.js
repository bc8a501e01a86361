/**
 * A batch that is under way: what it is asked for with, again and again, and what was handed to a signer.
 * @typedef {object} StoredBatch
 * @property {string} key its `Idempotency-Key`: under it nothing is paid twice
 * @property {Record<string, unknown>} body
 * @property {string[]} sent the unsigned transactions that were sent or may have been, in base64
 * @property {boolean} isReproducible whether signing one again makes the same transaction, as the sandbox does and wallets may not
 */

// Not that of the tab alone: a payroll must survive the end of its browser. It has no API key in it.
const name = 'splwright batch';

/**
 * What is under way in this browser.
 * @returns {StoredBatch | undefined}
 */
export function recallBatch() {
  try {
    return JSON.parse(localStorage.getItem(name) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

/**
 * Keeps a batch, or forgets it. Throws where the browser keeps nothing: without it a reload could pay twice.
 * @param {StoredBatch | undefined} batch
 */
export function rememberBatch(batch) {
  if (batch) localStorage.setItem(name, JSON.stringify(batch));
  else localStorage.removeItem(name);
}

/**
 * Whether something of a batch may have been sent: then it is resumed or forgotten before there is another.
 * @param {StoredBatch | undefined} batch
 */
export function isUnderWay(batch) {
  return batch !== undefined && batch.sent.length > 0;
}
