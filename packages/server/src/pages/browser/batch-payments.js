import { tokens } from './amounts.js';
import { make } from './make.js';
import { fullName } from './names.js';
import { summarizePayments } from './payments-table.js';

/** @import { BatchTransfer } from 'splwright-client' */

/**
 * What a batch pays: in all, and when it is opened each payment with its memo.
 * @param {readonly BatchTransfer[]} payments
 * @param {{ decimals: number, unit: string }} token
 */
export function listPayments(payments, { decimals, unit }) {
  const items = payments.map(({ to_address: address, amount, amount_decimal: whole, memo }) => {
    const decimal = whole ?? tokens(amount ?? 0n, decimals);
    const note = memo === undefined ? undefined : make('q', { class: 'memo' }, memo);
    return make('li', {}, make('b', {}, `${decimal} ${unit}`), ' to ', fullName(address), note && ' ', note);
  });
  const title = make('summary', {}, summarizePayments(payments));
  return make('details', { class: 'json payments' }, title, make('ol', {}, ...items));
}
