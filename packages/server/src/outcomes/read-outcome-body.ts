import type { Pause, TransferIntent } from 'splwright-core';
import { pointerTo } from '../app/field-names.ts';
import { describeType, hasValue, isObject } from '../app/field-values.ts';
import { UnknownFields } from '../app/unknown-fields.ts';
import type { DescribedFinding } from '../problems.ts';
import { readTransaction } from './read-transaction.ts';
import type { OutcomeItem } from './verdict.ts';

/** A body without faults. */
export interface ReadOutcomeBody {
  items: readonly OutcomeItem[];
  /** Whether it has `transactions`, and is answered with a list. */
  isList: boolean;
}

/** Every fault of a body; of unknown fields the first 100. `unlistedCount`: how many more unknown fields there are. */
export interface OutcomeBodyFaults {
  findings: readonly DescribedFinding[];
  unlistedCount: number;
}

/** How many transactions a body may ask about. */
export const maxTransactions = 100;

/** The fields of one item, which are the fields of a body that has only one. */
const lifetimeFields = ['blockhash', 'last_valid_block_height', 'nonce', 'nonce_account'] as const;
const itemFields = ['transaction', ...lifetimeFields] as const;
const bodyFields = [...itemFields, 'transactions'] as const;

/** The most unknown fields that are described: a body may have thousands, each with a sentence of its own. */
const maxUnknownFields = 100;
const maxU64 = 2n ** 64n - 1n;

/** Reading 20 of the largest transactions as arrays takes some milliseconds. */
const transactionsPerTurn = 20;

/** Reads a parsed JSON body as transactions to find, or finds every fault that it has. Throws nothing but what `pause` throws. */
export async function readOutcomeBody(body: unknown, pause: Pause): Promise<ReadOutcomeBody | OutcomeBodyFaults> {
  const reader = new BodyReader();
  const read = await reader.readBody(body, pause);
  const { findings, unlistedCount } = reader;
  return read && findings.length === 0 ? read : { findings, unlistedCount };
}

class BodyReader {
  readonly findings: DescribedFinding[] = [];
  readonly #unknownFields = new UnknownFields();
  #unknownCount = 0;

  get unlistedCount(): number {
    return Math.max(0, this.#unknownCount - maxUnknownFields);
  }

  async readBody(body: unknown, pause: Pause): Promise<ReadOutcomeBody | undefined> {
    if (!isObject(body)) {
      this.#add('wrong_type', '', `The body is ${describeType(body)} and must be a JSON object.`);
      return undefined;
    }
    this.#findUnknown(body, '', bodyFields);
    const [hasOne, hasList] = [hasValue(body, 'transaction'), hasValue(body, 'transactions')];
    if (hasOne && hasList) {
      const detail = 'transaction and transactions are both present. Send one of them.';
      this.#add('transaction_and_transactions', '/transactions', detail);
    }
    if (!hasOne && !hasList) {
      const detail = 'transaction and transactions are both missing. Send one of them.';
      this.#add('transaction_or_transactions_required', '', detail);
    }
    for (const name of hasList && !hasOne ? lifetimeFields : []) {
      if (!hasValue(body, name)) continue;
      const detail = `${name} goes with transaction. In transactions, each has its own: move it into each object.`;
      this.#add('unknown_field', `/${name}`, detail);
    }
    const one = hasOne || !hasList ? this.#readItem(body, '') : undefined;
    const list = hasList ? await this.#readList(body.transactions, pause) : undefined;
    if (list) return { items: list, isList: true };
    return one && { items: [one], isList: false };
  }

  async #readList(value: unknown, pause: Pause): Promise<readonly OutcomeItem[] | undefined> {
    const name = 'transactions';
    if (!Array.isArray(value)) {
      this.#add('wrong_type', `/${name}`, `${name} is ${describeType(value)} and must be an array of objects.`);
      return undefined;
    }
    if (value.length === 0 || value.length > maxTransactions) {
      const detail = `${name} has ${value.length} transactions and must have 1 to ${maxTransactions}.`;
      this.#add('invalid_value', `/${name}`, detail);
    }
    // A longer list is refused for its length alone.
    const entries: readonly unknown[] = value.slice(0, maxTransactions);
    const items: OutcomeItem[] = [];
    for (const [index, entry] of entries.entries()) {
      if (index > 0 && index % transactionsPerTurn === 0) await pause();
      const item = this.#readEntry(entry, `/${name}/${index}`);
      if (item) items.push(item);
    }
    return items;
  }

  #readEntry(entry: unknown, pointer: string): OutcomeItem | undefined {
    const name = pointer.slice(1);
    if (!isObject(entry)) {
      this.#add('wrong_type', pointer, `${name} is ${describeType(entry)} and must be an object.`);
      return undefined;
    }
    this.#findUnknown(entry, pointer, itemFields);
    if (entry.transaction === null) {
      const detail = `${name}/transaction is null; send an array of bytes, or a text in base64 or base58.`;
      this.#add('wrong_type', `${pointer}/transaction`, detail);
    } else if (!Object.hasOwn(entry, 'transaction')) {
      this.#add('missing_field', `${pointer}/transaction`, `${name}/transaction is missing.`);
    }
    return this.#readItem(entry, pointer);
  }

  #readItem(object: Readonly<Record<string, unknown>>, parent: string): OutcomeItem | undefined {
    const height = hasValue(object, 'last_valid_block_height')
      ? this.#readBlockHeight(object.last_valid_block_height, `${parent}/last_valid_block_height`)
      : undefined;
    if (!hasValue(object, 'transaction')) return undefined;
    const read = readTransaction(object.transaction);
    if ('intent' in read) {
      this.#compareLifetime(object, read.intent, parent);
      return { intent: read.intent, lastValidBlockHeight: height };
    }
    const { code, entry, what } = read.fault;
    const pointer = `${parent}/transaction${entry === undefined ? '' : `/${entry}`}`;
    this.#add(code, pointer, `${pointer.slice(1)} ${what}.`);
    return undefined;
  }

  // The lifetime of a reply may be sent back as it is: what of it the transaction has itself must be the same.
  #compareLifetime(object: Readonly<Record<string, unknown>>, { lifetime }: TransferIntent, parent: string): void {
    const own =
      'nonce' in lifetime
        ? { blockhash: undefined, nonce: lifetime.nonce, nonce_account: lifetime.nonceAccount }
        : { blockhash: lifetime.blockhash, nonce: undefined, nonce_account: undefined };
    for (const name of ['blockhash', 'nonce', 'nonce_account'] as const) {
      if (!hasValue(object, name)) continue;
      const pointer = `${parent}/${name}`;
      const value = object[name];
      if (typeof value !== 'string') {
        this.#add('wrong_type', pointer, `${pointer.slice(1)} is ${describeType(value)} and must be a JSON string.`);
      } else if (value !== own[name]) {
        const found = own[name] === undefined ? 'none' : `the ${name.replace('_', ' ')} ${own[name]}`;
        const detail = `${pointer.slice(1)} is not that of the transaction, which has ${found}. Send the lifetime that came with it.`;
        this.#add('invalid_value', pointer, detail);
      }
    }
  }

  #readBlockHeight(value: unknown, pointer: string): bigint | undefined {
    const name = pointer.slice(1);
    if (typeof value !== 'string') {
      const detail = `${name} is ${describeType(value)} and must be a JSON string of decimal digits.`;
      this.#add('wrong_type', pointer, detail);
      return undefined;
    }
    const height = /^(0|[1-9][0-9]{0,19})$/.test(value) ? BigInt(value) : undefined;
    if (height !== undefined && height <= maxU64) return height;
    const detail = `${name} is not a block height: decimal digits of 0 to ${maxU64}, without a leading zero.`;
    this.#add('invalid_block_height', pointer, detail);
    return undefined;
  }

  #findUnknown(object: Readonly<Record<string, unknown>>, parent: string, known: readonly string[]): void {
    for (const name of Object.keys(object)) {
      if (known.includes(name)) continue;
      this.#unknownCount += 1;
      if (this.#unknownCount > maxUnknownFields) continue;
      const where = parent === '' ? 'this operation' : parent.slice(1);
      const detail = this.#unknownFields.describe(name, where, { required: [], optional: known });
      this.#add('unknown_field', pointerTo(name, parent), detail);
    }
  }

  #add(code: DescribedFinding['code'], pointer: string, detail: string): void {
    this.findings.push({ code, pointer, detail });
  }
}
