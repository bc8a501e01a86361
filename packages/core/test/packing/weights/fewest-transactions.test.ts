import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { frameOf, parcelOf } from '../../../src/batch/parcel-of.ts';
import { packBatch } from '../../../src/packing/pack-batch.ts';
import { noPause } from '../../../src/packing/pause.ts';
import { fewestTransactions as boundOf } from '../../../src/packing/weights/fewest-transactions.ts';
import type { Parcel, TransactionFrame } from '../../../src/packing/weights/parcel.ts';
import { weighBatch } from '../../../src/packing/weights/weigh-batch.ts';
import { addressAt, batchFrom, type TransferParts } from '../../batch/random-batches.ts';

const options = {
  createTokenAccount: 'if_missing',
  priorityFee: undefined,
  isSponsored: false,
  hasNonce: false,
} as const;

function fewestTransactions(parcels: readonly Parcel[], frame: TransactionFrame): number {
  return boundOf(weighBatch(parcels, frame)).count;
}

function parcelsOf(
  version: 'legacy' | 0 | 1,
  transfers: readonly Partial<TransferParts>[],
): { parcels: Parcel[]; frame: TransactionFrame } {
  const parts = transfers.map((each, recipient) => {
    return { recipient, exists: true, amount: recipient + 1, memo: undefined, references: [], ...each };
  });
  const { request, facts } = batchFrom(parts, { ...options, version });
  return {
    parcels: facts.payments.map((payment) => parcelOf(payment, request, facts)),
    frame: frameOf(request, facts),
  };
}

async function assertTight({ parcels, frame }: { parcels: Parcel[]; frame: TransactionFrame }): Promise<void> {
  const packing = await packBatch(parcels, frame, noPause);
  assert.ok('transactions' in packing);
  assert.equal(fewestTransactions(parcels, frame), packing.transactions.length);
}

const kinds: Readonly<Record<string, (index: number) => Partial<TransferParts>>> = {
  'with a token account': () => ({}),
  'without a token account': () => ({ exists: false }),
  'with a memo': () => ({ memo: 'order 7' }),
  'without a token account, with a memo': () => ({ exists: false, memo: 'order 7' }),
  'with nine references': (index) => ({ references: Array.from({ length: 9 }, (_, at) => 2_000 + 10 * index + at) }),
  'to one wallet, with different memos': (index) => ({ recipient: 1, memo: `part ${1_000 + index}` }),
};

describe('the lower bound of the number of transactions', () => {
  for (const version of ['legacy', 0, 1] as const) {
    for (const [kind, transferAt] of Object.entries(kinds)) {
      it(`is what it takes to pay 100 recipients ${kind} in version ${version}`, async () => {
        await assertTight(
          parcelsOf(
            version,
            Array.from({ length: 100 }, (_, index) => transferAt(index)),
          ),
        );
      });
    }
  }

  const half = { memo: 'a'.repeat(500) };
  const little = { memo: 'b'.repeat(380) };
  it('is one for each transfer that is larger than half a transaction', async () => {
    await assertTight(parcelsOf(0, [half, half, half, half]));
  });

  it('is not raised by small ones that fit next to the large ones', async () => {
    await assertTight(parcelsOf(0, [half, half, {}, {}]));
    assert.equal(fewestTransactions(...pair(parcelsOf(0, [half, half, {}, {}]))), 2);
  });

  it('is raised by those that fit next to none of the large ones', () => {
    const { parcels, frame } = parcelsOf(0, [half, half, little, little, little]);
    assert.equal(fewestTransactions(parcels, frame), 4);
  });

  it('holds for each limit alone: accounts, instructions, compute units', () => {
    const { parcels, frame } = parcelsOf(
      1,
      Array.from({ length: 10 }, () => ({})),
    );
    const bound = (changes: (index: number) => Partial<Parcel>): number =>
      fewestTransactions(
        parcels.map((parcel, index) => ({ ...parcel, ...changes(index) })),
        frame,
      );
    assert.equal(
      bound(() => ({})),
      1,
    );
    assert.equal(
      bound(() => ({ computeUnits: 600_000 })),
      5,
    );
    assert.equal(
      bound(() => ({ computeUnits: 279_880 })),
      2,
    );
    // Four builtin instructions at 150 units each are kept free.
    assert.equal(
      bound(() => ({ computeUnits: 279_881 })),
      3,
    );
    assert.equal(
      bound(() => ({ instructionCount: 30 })),
      5,
    );
    const others = (index: number) => Array.from({ length: 28 }, (_, at) => addressAt(1 + 100 * (index + 50) + at));
    assert.equal(
      bound((index) => ({ furtherAccounts: others(index) })),
      5,
    );
  });

  it('counts a wallet that is created once, however often it is paid', () => {
    const { parcels, frame } = parcelsOf(
      1,
      Array.from({ length: 40 }, () => ({ recipient: 1, exists: false })),
    );
    assert.equal(fewestTransactions(parcels, frame), 1);
  });
});

function pair({ parcels, frame }: { parcels: Parcel[]; frame: TransactionFrame }): [Parcel[], TransactionFrame] {
  return [parcels, frame];
}
