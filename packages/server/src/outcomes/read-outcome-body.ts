import type { Pause, TransferIntent } from 'splwright-core';
import type { Static } from 'typebox';
import type { Incomplete, Shape } from '../app/read-shape.ts';
import { allFaults } from '../app/refusal.ts';
import type { DescribedFinding } from '../problems.ts';
import { maxTransactions, type outcomeBody, type transactionToFind } from './outcome-schema.ts';
import { readTransaction } from './read-transaction.ts';
import type { OutcomeItem } from './verdict.ts';

/** A body without faults. */
export interface ReadOutcomeBody {
  items: readonly OutcomeItem[];
  /** Whether it has `transactions`, and is answered with a list. */
  isList: boolean;
}

type OutcomeFields = Incomplete<Static<typeof outcomeBody>>;
type ItemFields = Partial<Incomplete<Static<typeof transactionToFind>>>;

/** The fields of one item beside its transaction. */
const lifetimeFields = ['blockhash', 'last_valid_block_height', 'nonce', 'nonce_account'] as const;
const maxU64 = 2n ** 64n - 1n;

/** Reading 20 of the largest transactions as arrays takes some milliseconds. */
const transactionsPerTurn = 20;

/** Reads the shape of a body as transactions to find, or finds every fault that it has. Throws nothing but what `pause` throws. */
export async function readOutcomeBody(
  shape: Shape<Static<typeof outcomeBody>>,
  pause: Pause,
): Promise<ReadOutcomeBody | { findings: readonly DescribedFinding[] }> {
  const { values } = shape;
  const exclusions = isObjectShape(shape) ? findExclusions(values) : [];
  const found: DescribedFinding[] = [];
  const items: OutcomeItem[] = [];
  const add = (item: OutcomeItem | undefined): void => {
    if (item) items.push(item);
  };
  // Beside a list, the fields of one transaction are out of place, whatever they say.
  if (values.transaction !== undefined || !Object.hasOwn(values, 'transactions')) add(readItem(values, '', found));
  for (const [index, entry] of (values.transactions ?? []).slice(0, maxTransactions).entries()) {
    if (index > 0 && index % transactionsPerTurn === 0) await pause();
    if (entry) add(readItem(entry, `/transactions/${index}`, found));
  }
  const isPlaced = ({ pointer }: DescribedFinding): boolean =>
    !exclusions.some((each) => each.code === 'unknown_field' && each.pointer === pointer);
  const placed = { findings: shape.findings.filter(isPlaced), constraints: shape.constraints.filter(isPlaced) };
  const findings = allFaults(placed, exclusions, found);
  return findings.length > 0 ? { findings } : { items, isList: values.transactions !== undefined };
}

// A body that is no object has no fields to miss.
function isObjectShape({ findings }: Shape<unknown>): boolean {
  return findings.every(({ pointer }) => pointer !== '');
}

/** Finds fields that exclude each other. A field that was sent with a wrong type is there, too. */
function findExclusions(values: OutcomeFields): readonly DescribedFinding[] {
  const [hasOne, hasList] = [Object.hasOwn(values, 'transaction'), Object.hasOwn(values, 'transactions')];
  if (hasOne && hasList) {
    const detail = 'transaction and transactions are both present. Send one of them.';
    return [{ code: 'transaction_and_transactions', pointer: '/transactions', detail }];
  }
  if (!hasOne && !hasList) {
    const detail = 'transaction and transactions are both missing. Send one of them.';
    return [{ code: 'transaction_or_transactions_required', pointer: '', detail }];
  }
  const misplaced = hasList ? lifetimeFields.filter((name) => Object.hasOwn(values, name)) : [];
  return misplaced.map((name) => {
    const detail = `${name} goes with transaction. In transactions, each has its own: move it into each object.`;
    return { code: 'unknown_field', pointer: `/${name}`, detail };
  });
}

// The item of an object at `at`, or what is wrong with it.
function readItem(values: ItemFields, at: string, found: DescribedFinding[]): OutcomeItem | undefined {
  const lastValidBlockHeight = readBlockHeight(values.last_valid_block_height, `${at}/last_valid_block_height`, found);
  if (values.transaction === undefined) return undefined;
  const read = readTransaction(values.transaction);
  if ('intent' in read) {
    found.push(...findOtherLifetime(values, read.intent, at));
    return { intent: read.intent, lastValidBlockHeight };
  }
  const { code, entry, what } = read.fault;
  const pointer = `${at}/transaction${entry === undefined ? '' : `/${entry}`}`;
  found.push({ code, pointer, detail: `${pointer.slice(1)} ${what}.` });
  return undefined;
}

// The lifetime of a reply may be sent back as it is: what of it the transaction has itself must be the same.
function findOtherLifetime(values: ItemFields, { lifetime }: TransferIntent, at: string): readonly DescribedFinding[] {
  const own =
    'nonce' in lifetime
      ? { blockhash: undefined, nonce: lifetime.nonce, nonce_account: lifetime.nonceAccount }
      : { blockhash: lifetime.blockhash, nonce: undefined, nonce_account: undefined };
  return (['blockhash', 'nonce', 'nonce_account'] as const)
    .filter((name) => values[name] !== undefined && values[name] !== own[name])
    .map((name) => {
      const has = own[name] === undefined ? 'none' : `the ${name.replace('_', ' ')} ${own[name]}`;
      const pointer = `${at}/${name}`;
      const detail = `${pointer.slice(1)} is not that of the transaction, which has ${has}. Send the lifetime that came with it.`;
      return { code: 'invalid_value', pointer, detail };
    });
}

function readBlockHeight(text: string | undefined, pointer: string, found: DescribedFinding[]): bigint | undefined {
  if (text === undefined) return undefined;
  const height = /^(0|[1-9][0-9]{0,19})$/.test(text) ? BigInt(text) : undefined;
  if (height !== undefined && height <= maxU64) return height;
  const detail = `${pointer.slice(1)} is not a block height: decimal digits of 0 to ${maxU64}, without a leading zero.`;
  found.push({ code: 'invalid_block_height', pointer, detail });
  return undefined;
}
