import {
  decodeBase58,
  type IntentFault,
  isAddressOnCurve,
  readTransferIntent,
  type Steps,
  type TransferIntent,
  transactionSizeLimit,
} from 'splwright-core';
import type { Static } from 'typebox';
import { describeType, type Incomplete, type Shape } from '../app/read-shape.ts';
import { allFaults } from '../app/validate.ts';
import type { DescribedFinding, ProblemCode } from '../problems.ts';
import { maxTransactions, type outcomeBody, type transactionToFind } from './outcome-schema.ts';
import { describeByteCount } from './transaction-words.ts';
import type { OutcomeItem } from './verdict.ts';

/** A body without faults. */
interface ReadOutcomeBody {
  items: readonly OutcomeItem[];
  /** Whether it has `transactions`, and is answered with a list. */
  isList: boolean;
}

type OutcomeFields = Incomplete<Static<typeof outcomeBody>>;
type ItemFields = Partial<Incomplete<Static<typeof transactionToFind>>>;

/** The fields of one item beside its transaction. */
const lifetimeFields = ['blockhash', 'last_valid_block_height', 'nonce', 'nonce_account'] as const;
const maxU64 = 2n ** 64n - 1n;

/** Reads the shape of a body as transactions to find, one a step, or finds every fault that it has. Throws nothing. */
export function* readOutcomeBody(
  shape: Shape<Static<typeof outcomeBody>>,
): Steps<ReadOutcomeBody | { findings: readonly DescribedFinding[] }> {
  const { values } = shape;
  const exclusions = findExclusions(values);
  const found: DescribedFinding[] = [];
  const items: OutcomeItem[] = [];
  const add = (item: OutcomeItem | undefined): void => {
    if (item) items.push(item);
  };
  // Beside a list, the fields of one transaction are out of place, whatever they say.
  if (values.transaction !== undefined || !Object.hasOwn(values, 'transactions')) add(readItem(values, '', found));
  for (const [index, entry] of (values.transactions ?? []).slice(0, maxTransactions).entries()) {
    if (entry) add(readItem(entry, `/transactions/${index}`, found));
    yield;
  }
  const isPlaced = ({ pointer }: DescribedFinding): boolean =>
    !exclusions.some((each) => each.code === 'unknown_field' && each.pointer === pointer);
  const placed = { findings: shape.findings.filter(isPlaced), constraints: shape.constraints.filter(isPlaced) };
  const findings = allFaults(placed, exclusions, found);
  return findings.length > 0 ? { findings } : { items, isList: values.transactions !== undefined };
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

/** A fault of a transaction of a request: `entry` is the index in an array of bytes, and `what` goes on after the name. */
interface TransactionFault {
  code: Extract<ProblemCode, 'wrong_type' | 'invalid_transaction' | 'not_a_transfer'>;
  entry?: number;
  what: string;
}

const maxByteLength = transactionSizeLimit(1);
const maxBase64Length = Math.ceil(maxByteLength / 3) * 4;
// 256 in digits of 58, rounded up.
const maxBase58Length = Math.ceil((maxByteLength * Math.log(256)) / Math.log(58));

const remedy = 'Send the transaction as it was built or as it was signed';

/**
 * Reads a transaction in any encoding: an array of bytes, or a text in base64 or base58.
 *
 * A text that could be both is base64 if that is a transaction, otherwise base58. Nothing longer than a transaction is decoded.
 */
function readTransaction(value: unknown): { intent: TransferIntent } | { fault: TransactionFault } {
  if (Array.isArray(value)) return readByteArray(value);
  if (typeof value === 'string') return readText(value);
  const what = `is ${describeType(value)} and must be an array of bytes, or a text in base64 or base58`;
  return { fault: { code: 'wrong_type', what } };
}

function readByteArray(values: readonly unknown[]): ReturnType<typeof readTransaction> {
  if (values.length > maxByteLength) return tooLong(`has ${values.length} bytes`);
  const bytes = new Uint8Array(values.length);
  for (const [entry, value] of values.entries()) {
    if (!isByte(value)) {
      const shown = typeof value === 'number' ? String(value) : describeType(value);
      return { fault: { code: 'wrong_type', entry, what: `is ${shown} and must be an integer from 0 to 255` } };
    }
    bytes[entry] = value;
  }
  const read = readTransferIntent(bytes);
  return 'intent' in read ? ofWallet(read.intent) : { fault: describeIntentFault(read.fault, bytes) };
}

// A proposal has none of the lifetime of what was imported, so that it may be executed after that has expired.
function ofWallet(intent: TransferIntent): { intent: TransferIntent } | { fault: TransactionFault } {
  if (isAddressOnCurve(intent.authority)) return { intent };
  const what =
    'is from a vault, for which no key signs: the proposal that it was imported into is another transaction. Look for the payment at its ' +
    'recipient, with GET /v1/incoming';
  return { fault: { code: 'not_a_transfer', what } };
}

function isByte(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 255;
}

function readText(text: string): ReturnType<typeof readTransaction> {
  if (text.length > maxBase58Length) return tooLong(`has ${text.length} characters`);
  const faults: { fault: IntentFault; bytes: Uint8Array }[] = [];
  for (const decode of [fromBase64, fromBase58]) {
    const bytes = decode(text);
    if (bytes === undefined) continue;
    const read = readTransferIntent(bytes);
    if ('intent' in read) return ofWallet(read.intent);
    faults.push({ fault: read.fault, bytes });
  }
  // Bytes that are a transaction, or known to be something else, decide the encoding, whatever is wrong with them otherwise.
  const decisive = faults.find(
    ({ fault, bytes }) => fault.kind !== 'not_a_transaction' || describeByteCount(bytes) !== undefined,
  );
  const found = decisive ?? faults[0];
  if (found) return { fault: describeIntentFault(found.fault, found.bytes) };
  const what = `is neither base64 (with its padding) nor base58. ${remedy}`;
  return { fault: { code: 'invalid_transaction', what } };
}

// Buffer skips what is not base64 and takes the end without its padding: only a text that is written back the same is base64.
function fromBase64(text: string): Uint8Array | undefined {
  if (text.length > maxBase64Length) return undefined;
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}

function fromBase58(text: string): Uint8Array | undefined {
  const decoded = decodeBase58(text);
  return 'bytes' in decoded ? decoded.bytes : undefined;
}

function tooLong(size: string): { fault: TransactionFault } {
  const what = `${size}; a transaction has at most ${maxByteLength} bytes. ${remedy}`;
  return { fault: { code: 'invalid_transaction', what } };
}

function describeIntentFault(fault: IntentFault, bytes: Uint8Array): TransactionFault {
  const other = describeByteCount(bytes);
  switch (fault.kind) {
    case 'not_a_transaction':
      if (other) return { code: 'invalid_transaction', what: `has ${bytes.length} bytes, ${other}. ${remedy}` };
      return { code: 'invalid_transaction', what: `is not a transaction: ${fault.reason}. ${remedy}` };
    case 'no_transfer':
      return {
        code: 'not_a_transfer',
        what: 'has no TransferChecked instruction of SPL Token or Token-2022, and no transfer of SOL by its last signer',
      };
    case 'several_sources':
      return {
        code: 'not_a_transfer',
        what: 'has transfers from several token accounts: only those of one sender can be found',
      };
    case 'several_mints':
      return { code: 'not_a_transfer', what: 'has transfers of several mints: only those of one mint can be found' };
  }
}
