import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { propertyRuns } from '../../../../test/setup/property-runs.ts';
import { toAddress } from '../../../core/src/addresses/address.ts';
import { ChainHead } from '../../src/chain/chain-head.ts';
import {
  blockHeightRequest,
  blockhashAliveRequest,
  finalizedHeightRequest,
  firstAvailableSlotRequest,
  nonceRequest,
  signaturesRequest,
  statusesRequest,
  transactionRequest,
} from '../../src/chain/history-requests.ts';
import { RoundedInteger } from '../../src/chain/json-values.ts';
import { UpstreamFault } from '../../src/chain/upstream-faults.ts';
import { recorded, recordedTransaction } from './recorded.ts';

const head = new ChainHead({ hasSeveralUpstreams: false, now: () => 0 });
const anyAddress = toAddress('1'.repeat(32));
const memo = recordedTransaction('memo, 2022 (json)');

interface Reader {
  request: { read: (result: unknown) => unknown };
  /** A good answer. */
  good: unknown;
}

const readers: readonly Reader[] = [
  { request: finalizedHeightRequest, good: recorded('getEpochInfo').result },
  { request: firstAvailableSlotRequest, good: recorded('getFirstAvailableBlock').result },
  { request: blockhashAliveRequest(anyAddress, 'processed', 1n), good: recorded('isBlockhashValid').result },
  { request: blockHeightRequest(1n), good: recorded('getBlock').result },
  { request: statusesRequest(['a', 'b']), good: recorded('getSignatureStatuses').result },
  { request: signaturesRequest(anyAddress, {}), good: recorded("history of the sender's token account").result },
  { request: transactionRequest(memo.signature), good: memo.inBase64 },
  { request: nonceRequest(anyAddress, head, 1n), good: { context: { slot: 1 }, value: [null] } },
];

/** Reads, and fails for what is thrown unless it is a fault of the upstream or the wish for exact integers. */
function readOrFault({ request }: Reader, result: unknown): 'answer' | 'fault' {
  try {
    request.read(result);
    return 'answer';
  } catch (error) {
    assert.ok(error instanceof UpstreamFault || error instanceof RoundedInteger, String(error));
    return 'fault';
  }
}

test('The good answers, of which the following are changed, are answers', () => {
  for (const reader of readers) assert.equal(readOrFault(reader, reader.good), 'answer');
});

test('Of arbitrary JSON every reader of the past makes an answer, or a fault of the upstream', () => {
  const json = fc.oneof(
    fc.jsonValue({ maxDepth: 6 }),
    fc.record({ context: fc.record({ slot: fc.nat() }), value: fc.jsonValue({ maxDepth: 6 }) }),
    fc.array(fc.record({ slot: fc.nat(), err: fc.jsonValue(), confirmationStatus: fc.constant('finalized') })),
  );
  fc.assert(
    fc.property(fc.constantFrom(...readers), json, (reader, result) => void readOrFault(reader, result)),
    { numRuns: propertyRuns(300) },
  );
});

/** Every path to a value in a JSON value, the value itself too. */
function pathsIn(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([name, member]) => pathsIn(member, [...path, name]))];
}

function replaced(value: unknown, [name, ...rest]: readonly string[], by: unknown): unknown {
  if (name === undefined) return by;
  const change = ([key, member]: [string, unknown]): [string, unknown] =>
    key === name ? [key, replaced(member, rest, by)] : [key, member];
  const changed = Object.fromEntries(Object.entries(value as object).map(change));
  return Array.isArray(value) ? Object.values(changed) : changed;
}

test('An answer of a real node in which any one value is another is an answer, or a fault of the upstream', () => {
  const outcomes = { answer: 0, fault: 0 };
  const changes = fc.constantFrom(...readers).chain((reader) =>
    fc.record({
      reader: fc.constant(reader),
      path: fc.constantFrom(...pathsIn(reader.good)),
      by: fc.oneof(
        fc.jsonValue({ maxDepth: 3 }),
        fc.constantFrom(undefined, null, -1, 1.5, 2 ** 63, 2n ** 64n, '', 'finalized', [], {}),
        fc.base64String(),
      ),
    }),
  );
  fc.assert(
    fc.property(changes, ({ reader, path, by }) => {
      outcomes[readOrFault(reader, replaced(reader.good, path, by))] += 1;
    }),
    { numRuns: propertyRuns(600) },
  );
  assert.ok(outcomes.answer > 3 && outcomes.fault > 3, JSON.stringify(outcomes));
});

test('A transaction of arbitrary bytes is an answer only when it has the signature that was asked for', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.tuple(fc.nat(memo.bytes.length - 1), fc.nat(255)).map(([at, byte]) => {
      const changed = Uint8Array.from(memo.bytes);
      changed[at] = byte;
      return changed;
    }),
  );
  fc.assert(
    fc.property(bytes, (changed) => {
      const transaction = [Buffer.from(changed).toString('base64'), 'base64'];
      const outcome = readOrFault(
        { request: transactionRequest(memo.signature), good: null },
        { ...memo.inBase64, transaction },
      );
      const isSigned = Buffer.from(changed).subarray(1, 65).equals(memo.bytes.subarray(1, 65));
      if (outcome === 'answer') assert.ok(isSigned || changed[0] === 0x81);
    }),
    { numRuns: propertyRuns(300) },
  );
});
