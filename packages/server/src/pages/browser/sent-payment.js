import { linkPath } from './page.js';

/**
 * A transaction that this payer has sent.
 * @typedef {{ signature: string, at: number }} SentPayment
 */

const name = `paid ${linkPath()}`;

/**
 * What was sent in this tab: a reload must not offer to pay again.
 * @returns {SentPayment | undefined}
 */
export function recallSent() {
  try {
    const [signature, at] = (sessionStorage.getItem(name) ?? '').split(' ');
    return signature ? { signature, at: Number(at) } : undefined;
  } catch {
    return undefined;
  }
}

/** @param {SentPayment | undefined} payment */
export function rememberSent(payment) {
  try {
    if (payment) sessionStorage.setItem(name, `${payment.signature} ${payment.at}`);
    else sessionStorage.removeItem(name);
  } catch {
    // A browser that keeps nothing offers to pay again after a reload.
  }
}
