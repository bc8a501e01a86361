import { findSimilarName, lettersOf } from '../similar-name.ts';
import { quoteName } from './field-names.ts';

/** The fields that an object may have. */
export interface TakenFields {
  /** Those that it must have. */
  required: readonly string[];
  optional: readonly string[];
}

// What other APIs call our fields, as `lettersOf` writes it.
const synonyms: Readonly<Record<string, readonly string[]>> = {
  from_address: ['from', 'sender', 'source', 'fromwallet', 'senderaddress', 'sourceaddress', 'payeraddress'],
  to_address: [
    'to',
    'recipient',
    'receiver',
    'destination',
    'dest',
    'payee',
    'towallet',
    'recipientaddress',
    'destinationaddress',
  ],
  token_mint_address: ['mint', 'token', 'currency', 'asset', 'spltoken', 'tokenmint', 'tokenaddress', 'mintaddress'],
  amount: ['value', 'quantity', 'baseunits', 'amountbaseunits', 'rawamount'],
  amount_decimal: ['decimalamount', 'uiamount', 'tokenamount', 'tokens'],
  fee_payer: ['payer', 'feepayeraddress'],
  memo: ['note', 'comment', 'description'],
  priority_fee: ['priority', 'computeunitprice', 'microlamports'],
  references: ['referencekeys'],
  transfers: ['payments', 'recipients'],
  transaction: ['tx', 'txn'],
};

/** Describes the unknown fields of one request: those that it may have are listed once, however many are unknown. */
export class UnknownFields {
  readonly #lists = new Set<string>();

  /** Returns the sentence about a field that `what` does not have, with the field that was meant or all that there are. */
  describe(name: string, what: string, { required, optional }: TakenFields): string {
    const sentence = `${quoteName(name)} is not a field of ${what}.`;
    const taken = [...required, ...optional];
    const meant = findSimilarName(name, taken) ?? taken.find((field) => synonyms[field]?.includes(lettersOf(name)));
    if (meant !== undefined) return `${sentence} Did you mean ${meant}?`;
    const list = describeFields(required, optional);
    if (this.#lists.has(list)) return sentence;
    this.#lists.add(list);
    return `${sentence} ${list}`;
  }
}

function describeFields(required: readonly string[], optional: readonly string[]): string {
  if (required.length === 0 || optional.length === 0) return `The fields are ${[...required, ...optional].join(', ')}.`;
  const isOne = required.length === 1;
  return `The required field${isOne ? ' is' : 's are'} ${required.join(', ')}; the others are ${optional.join(', ')}.`;
}
