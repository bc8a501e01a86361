import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeBase58 } from '../../src/addresses/base58.ts';
import { findDuplicateIndices, makeDistinct, packApart } from '../../src/batch/pack-apart.ts';
import { packBatch } from '../../src/batch/pack-batch.ts';
import { planBatch } from '../../src/batch/plan-batch.ts';
import { toMessage } from '../../src/plan/plan-message.ts';
import { finish } from '../../src/plan/steps.ts';
import { encodeTransaction, transactionSizeLimit } from '../../src/transaction/encode-transaction.ts';
import { changed, planWith } from '../fixtures.ts';
import { type BatchOptions, batchFrom, noPrices, plainOptions, type TransferParts, weighed } from './random-batches.ts';

function packedApart(transfers: readonly TransferParts[]) {
  const { facts } = batchFrom(transfers, plainOptions);
  return finish(packApart(weighed(transfers), facts.payments));
}

function packedWith(transfers: readonly TransferParts[], hasRoomForLimit: boolean) {
  const batch = weighed(transfers);
  const packing = finish(packBatch({ ...batch, frame: { ...batch.frame, hasRoomForLimit } }));
  assert.ok('transactions' in packing);
  return packing;
}

const paying = (recipient: number, memo?: string): TransferParts => {
  return { recipient, exists: true, amount: 5, memo, references: [] };
};
const full = (letter: string) => paying(1, letter.repeat(904));

describe('a batch that is packed apart', () => {
  it('leaves no room for compute limits where no two transactions pay the same', () => {
    const transfers = Array.from({ length: 60 }, (_, index) => paying(index));
    const packing = packedWith(transfers, false);
    assert.ok(packedWith(transfers, true).transactions.length > packing.transactions.length);
    assert.deepEqual(packedApart(transfers), { ...packing, duplicateIndices: packing.transactions.map(() => 0) });
  });

  it('leaves room for them where two do, and has the lower bound of transactions without', () => {
    const alike = (count: number) => Array.from({ length: count }, () => paying(1));
    const [first = []] = packedWith(alike(200), false).transactions;
    const transfers = alike(4 * first.length);
    const { transactions } = packedWith(transfers, true);
    assert.equal(transactions.length, 5);
    const lengths = transactions.map(({ length }) => length);
    const duplicateIndices = lengths.map(
      (length, index) => lengths.slice(0, index).filter((each) => each === length).length,
    );
    assert.deepEqual(packedApart(transfers), { transactions, lowerBound: 4, duplicateIndices });
  });

  it('gives what has no room for one a transaction of its own, in the order of first transfers', () => {
    const twins = Array.from({ length: 40 }, () => paying(1));
    const packed = packedApart([...twins, full('a'), ...twins, full('b'), ...twins]);
    assert.ok('transactions' in packed);
    const firsts = packed.transactions.map(([first]) => first);
    assert.deepEqual(
      firsts,
      firsts.toSorted((a = 0, b = 0) => a - b),
    );
    assert.deepEqual(
      packed.transactions.filter((transfers) => transfers.includes(40) || transfers.includes(81)),
      [[40], [81]],
    );
    assert.notEqual(firsts.at(-1), 81);
  });

  it('is too large in what has no room to differ from its twin, and in nothing else', () => {
    const twins = Array.from({ length: 40 }, () => paying(1));
    assert.deepEqual(packedApart([full('a'), ...twins, full('b'), full('a')]), { tooLarge: [42] });
    assert.deepEqual(packedApart([paying(1, 'a'.repeat(2_000)), ...twins]), { tooLarge: [0] });
  });
});

const blockhash = encodeBase58(new Uint8Array(32).fill(3));

function sameTransfers(count: number, memo: string | undefined): TransferParts[] {
  return Array.from({ length: count }, () => ({ recipient: 1, exists: true, amount: 5, memo, references: [2] }));
}

function planned(transfers: readonly TransferParts[], options: BatchOptions) {
  const { request, facts } = batchFrom(transfers, options);
  const batch = finish(planBatch(request, facts, noPrices));
  assert.ok(typeof batch === 'object');
  return batch;
}

describe('transactions that pay the same', () => {
  for (const version of ['legacy', 0, 1] as const) {
    for (const memo of [undefined, 'a'.repeat(200), '漢'.repeat(60)]) {
      for (const priorityFee of [undefined, { microLamportsPerComputeUnit: 70_000n }]) {
        const asked = `${memo ? `a memo of ${memo[0]}` : 'no memo'} and ${priorityFee ? 'a' : 'no'} priority fee`;
        it(`differ in their bytes in version ${version}, with ${asked}`, () => {
          const batch = planned(sameTransfers(300, memo), { ...plainOptions, version, priorityFee });
          assert.ok('transactions' in batch && batch.transactions.length > 2);
          const encoded = batch.transactions.map(({ plan }) => encodeTransaction(toMessage(plan, blockhash)));
          assert.ok(encoded.every(({ length }) => length <= transactionSizeLimit(version)));
          const bytes = encoded.map((each) => Buffer.from(each).toString('hex'));
          assert.equal(new Set(bytes).size, bytes.length);
        });
      }
    }
  }

  it('are left as they are where a recipient is paid twice, but never the same', () => {
    const { facts } = batchFrom(
      sameTransfers(3, undefined).map((each, index) => ({ ...each, amount: index })),
      plainOptions,
    );
    assert.deepEqual(findDuplicateIndices([[0], [1, 2]], facts.payments), [0, 0]);
  });

  it('are refused as too large where a full memo leaves no room to tell them apart', () => {
    const full = 'a'.repeat(870);
    const one = planned(sameTransfers(1, full), plainOptions);
    assert.ok('transactions' in one);
    const two = planned(sameTransfers(2, full), plainOptions);
    assert.ok('findings' in two);
    const [finding, ...others] = two.findings;
    assert.deepEqual(
      [finding?.code, finding?.field, others],
      ['transaction_too_large', { transfer: 1, part: 'memo' }, []],
    );
    assert.partialDeepStrictEqual(finding?.context, { isTwin: true, excess: { kind: 'bytes', maxByteLength: 1232 } });
    const larger = planned(sameTransfers(2, 'a'.repeat(1_100)), plainOptions);
    assert.ok('findings' in larger);
    for (const { context } of larger.findings) assert.partialDeepStrictEqual(context, { isTwin: false });
    assert.equal(larger.findings.length, 2);
  });

  it('are counted by recipient, amount, memo and references, in their order', () => {
    const { facts } = batchFrom(
      [
        ...sameTransfers(4, 'a'),
        ...sameTransfers(1, 'b'),
        ...sameTransfers(1, undefined).map((each) => ({ ...each, amount: 6 })),
        ...sameTransfers(1, 'a').map((each) => ({ ...each, references: [] })),
        ...sameTransfers(1, 'a').map((each) => ({ ...each, recipient: 2 })),
      ],
      { ...plainOptions, version: 0 },
    );
    const countTwins = (transactions: readonly number[][]) => findDuplicateIndices(transactions, facts.payments);
    assert.deepEqual(countTwins([[0], [1], [4], [5], [6], [7], [2]]), [0, 1, 0, 0, 0, 0, 2]);
    assert.deepEqual(
      countTwins([
        [0, 4],
        [4, 1],
        [2, 4],
      ]),
      [0, 0, 1],
    );
  });
});

describe('a transaction with twins before it', () => {
  it('asks for fewer units by their number, of the most there are where it asks for none, and pays for those', () => {
    const limited = planWith({ computeUnitLimit: 100_000, computeUnitPrice: 7_000_000n, priorityFee: 700_000n });
    assert.deepEqual(makeDistinct(limited, 0), limited);
    assert.deepEqual(makeDistinct(limited, 3), changed(limited, { computeUnitLimit: 99_997, priorityFee: 699_979n }));
    const plain = planWith({});
    assert.deepEqual(makeDistinct(plain, 0), plain);
    assert.deepEqual(makeDistinct(plain, 2), changed(plain, { computeUnitLimit: 1_399_998, priorityFee: 0n }));
  });
});
