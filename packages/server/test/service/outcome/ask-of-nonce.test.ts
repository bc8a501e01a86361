import assert from 'node:assert/strict';
import { test } from 'node:test';
import { address } from '@solana/kit';
import { decodeTransaction } from '../../../../core/src/transaction/decode-transaction.ts';
import { encodeTransaction } from '../../../../core/src/transaction/encode-transaction.ts';
import { role } from '../../../../core/src/transaction/instruction.ts';
import { freshWallet } from '../../../../core/test/chain-accounts.ts';
import { askOfNonce } from '../../../src/service/outcome/ask-of-nonce.ts';
import { NodeView } from '../../../src/service/outcome/node-view.ts';
import { CannotTell } from '../../../src/service/outcome/sighting.ts';
import { assertOutcome, verdictOn } from './find-outcome.ts';
import { LedgerNodeHistory } from './ledger-node-history.ts';
import { addressOf, OutcomeScene, selfPayment } from './outcome-scene.ts';

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

test('a transaction that has used the equal nonce of another account is no proof, although it names this one', async () => {
  const fresh = await OutcomeScene.open();
  const { ledger: chain, nonceAccount: ours } = fresh;
  const account = chain.getAccount(address(ours));
  assert.ok(account);
  // All nonce accounts that are advanced on one blockhash have the same nonce, whoever owns them.
  const theirs = freshWallet();
  chain.setAccount({ ...account, address: address(theirs) });
  const item = await fresh.build({ nonceAccount: ours });
  const { lifetime } = item.intent;
  const [advance] = decodeTransaction(item.bytes).instructions;
  assert.ok('nonce' in lifetime && advance);
  const signature = fresh.land(item);
  chain.advanceSlots(1);
  const accounts = advance.accounts.map((meta) => (meta.address === ours ? { ...meta, address: theirs } : meta));
  const payment = selfPayment(7);
  const naming = { ...payment, accounts: [...payment.accounts, role.readonly(ours)] };
  const bytes = encodeTransaction({
    version: 'legacy',
    feePayer: addressOf('alice'),
    instructions: [{ ...advance, accounts }, naming],
    lifetimeToken: lifetime.nonce,
    config: undefined,
  });
  const user = fresh.land({ bytes });
  assert.deepEqual(
    chain
      .transactionRecordsOf(address(ours))
      .slice(0, 2)
      .map((record) => [record.signature, record.error]),
    [
      [user, null],
      [signature, null],
    ],
  );
  chain.advanceSlots(32 + 151 + 1);
  for (const asked of [item, fresh.signed(item)]) {
    assert.equal(assertOutcome(await verdictOn(fresh, asked), 'landed').signature, signature);
  }
});
