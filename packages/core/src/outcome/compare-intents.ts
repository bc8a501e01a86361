import type { Address } from '../addresses/address.ts';
import type { LoadedAddresses } from '../transaction/decode-transaction.ts';
import { type CheckedTransfer, checkedTransfersOf } from './checked-transfer.ts';
import { memosOf } from './memos.ts';
import { readTransaction } from './read-transaction.ts';
import type { TransferIntent } from './transfer-intent.ts';

/**
 * How far a landed transaction is the intended one.
 *
 * `same_message`: what was signed is the same. `same_payments`: it pays the same, and nothing else from that token account.
 * `more_payments`: it pays the same, and more from that token account.
 */
export type IntentMatch = 'same_message' | 'same_payments' | 'more_payments';

/**
 * Says how far the bytes of a landed transaction do what the intent wants: undefined when they do not, or are no transaction.
 *
 * The payments (sender, mint, token accounts, amounts, further accounts in any order) and the memos decide. Fee payer, lifetime,
 * version, compute budget, the order of payments, and every other instruction may differ.
 *
 * `loaded` is what address lookup tables gave to it: without that, a transaction that uses any is taken for no transaction.
 */
export function matchIntent(
  intent: TransferIntent,
  landed: Uint8Array,
  loaded?: LoadedAddresses,
): IntentMatch | undefined {
  const read = readTransaction(landed, loaded);
  if ('reason' in read) return undefined;
  if (areSameBytes(read.message, intent.message)) return 'same_message';
  const { instructions } = read.decoded;
  if (!areSameTexts(memosOf(instructions), intent.memos)) return undefined;

  const { source, mint, tokenProgram, authority, decimals } = intent;
  const missing = new Map<string, number>();
  for (const payment of intent.payments) {
    const key = keyOf({ ...payment, source, mint, tokenProgram, authority, decimals });
    missing.set(key, (missing.get(key) ?? 0) + 1);
  }
  let missingCount = intent.payments.length;
  let isMore = false;
  for (const transfer of checkedTransfersOf(instructions)) {
    if (transfer.source !== source) continue;
    const key = keyOf(transfer);
    const left = missing.get(key) ?? 0;
    if (left === 0) {
      isMore = true;
      continue;
    }
    missing.set(key, left - 1);
    missingCount--;
  }
  if (missingCount > 0) return undefined;
  return isMore ? 'more_payments' : 'same_payments';
}

// Texts that are equal exactly when the payments are. No part has a space in it.
function keyOf(transfer: CheckedTransfer): string {
  const { source, mint, tokenProgram, authority, decimals, destination, amount, references } = transfer;
  const further: readonly Address[] = references.toSorted();
  return [source, mint, tokenProgram, authority, decimals, destination, amount, ...further].join(' ');
}

function areSameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}

function areSameTexts(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, index) => text === other[index]);
}
