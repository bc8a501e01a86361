import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeTransaction } from '../../../../core/src/transaction/decode-transaction.ts';
import { encodeTransaction } from '../../../../core/src/transaction/encode-transaction.ts';
import { askOfNonce } from '../../../src/service/outcome/ask-of-nonce.ts';
import { NodeView } from '../../../src/service/outcome/node-view.ts';
import { CannotTell } from '../../../src/service/outcome/sighting.ts';
import { LedgerNodeHistory } from './ledger-node-history.ts';
import { addressOf, OutcomeScene } from './outcome-scene.ts';

const scene = await OutcomeScene.open();
const { ledger, nonceAccount } = scene;

test('a history of as many transactions as may be looked at is read back to the creation of the nonce account', async () => {
  const item = scene.signed(await scene.build({ nonceAccount }));
  const { lifetime, signature } = item.intent;
  assert.ok('nonce' in lifetime && signature !== undefined);
  const [advance] = decodeTransaction(item.bytes).instructions;
  assert.ok(advance);
  const lifetimeToken = ledger.latestBlockhash().blockhash;
  const feePayer = addressOf('alice');
  ledger.advanceSlots(1);
  scene.land({
    bytes: encodeTransaction({
      version: 'legacy',
      feePayer,
      instructions: [advance],
      lifetimeToken,
      config: undefined,
    }),
  });
  ledger.advanceSlots(200);
  const count = ledger.transactionRecordsOf(nonceAccount).length;
  const ask = (maxCandidates: number) => {
    const scope = { signatures: [signature], maxCandidates };
    return askOfNonce(new NodeView(new LedgerNodeHistory(ledger), scope, Number.POSITIVE_INFINITY), item, lifetime);
  };
  assert.deepEqual((await ask(count)).stance, { kind: 'denies' });
  await assert.rejects(
    ask(count - 1),
    (error) => error instanceof CannotTell && error.reason === 'too_many_transactions',
  );
});
