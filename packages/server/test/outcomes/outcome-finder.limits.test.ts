import assert from 'node:assert/strict';
import { test } from 'node:test';
import { address } from '@solana/kit';
import { encodeBase58 } from '../../../core/src/addresses/base58.ts';
import { assertOutcome, verdictsOn } from './find-outcome.ts';
import { LedgerNodeHistory } from './ledger-node-history.ts';
import { memoOf, OutcomeScene } from './outcome-scene.ts';

const scene = await OutcomeScene.open();
const { ledger, nonceAccount } = scene;

const signatureOf = (index: number): string => encodeBase58(new Uint8Array(64).fill(7).fill(index, 63));

test('of one transaction 50 are looked at, and two more for each that is asked for with it', async () => {
  const item = await scene.build({ nonceAccount, memo: memoOf('asked for') });
  scene.land(await scene.build({ nonceAccount, memo: memoOf('user') }));
  const [user] = ledger.transactionRecordsOf(address(nonceAccount));
  assert.ok(user);
  const other = scene.land(await scene.build({ memo: memoOf('no use of the nonce') }));
  ledger.advanceSlots(200);

  /** A node that lists so many transactions of the nonce account, of which none used the nonce. */
  const nodeWith = (count: number): LedgerNodeHistory => {
    const node = new LedgerNodeHistory(ledger);
    const read = node.readTransaction.bind(node);
    node.readTransaction = async () => {
      const landed = await read(other);
      return landed && { ...landed, slot: user.slot };
    };
    node.faults.changeEntries = ([entry]) =>
      entry ? Array.from({ length: count }, (_, index) => ({ ...entry, signature: signatureOf(index) })) : [];
    return node;
  };
  for (const [count, most] of [
    [1, 50],
    [2, 52],
    [3, 54],
  ] as const) {
    for (const [listed, reason] of [
      [most, 'history_pruned'],
      [most + 1, 'too_many_transactions'],
    ] as const) {
      for (const verdict of await verdictsOn(
        Array.from({ length: count }, () => item),
        [nodeWith(listed)],
      )) {
        assertOutcome(verdict, 'unknown', reason);
      }
    }
  }
});
