import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { address } from '@solana/kit';
import { tokenProgram } from '../../../core/src/addresses/programs.ts';
import { decodeTransaction } from '../../../core/src/transaction/decode-transaction.ts';
import { encodeTransaction } from '../../../core/src/transaction/encode-transaction.ts';
import { type Instruction, role } from '../../../core/src/transaction/instruction.ts';
import { freshWallet } from '../../../core/test/fixtures.ts';
import { Work } from '../../src/app/work.ts';
import { askOfNonce } from '../../src/outcomes/ask-of-nonce.ts';
import { CannotTell } from '../../src/outcomes/node-answer.ts';
import { NodeView } from '../../src/outcomes/node-view.ts';
import { assertOutcome, verdictOn } from './find-outcome.ts';
import { LedgerNodeHistory, withBytes } from './ledger-node-history.ts';
import { addressOf, memoOf, OutcomeScene, selfPayment } from './outcome-scene.ts';

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
    return askOfNonce(new NodeView(new LedgerNodeHistory(ledger), scope, new Work()), item, lifetime);
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

test('the history of a nonce account is as of the newest slot that the node had named before', async () => {
  const fresh = await OutcomeScene.open();
  const item = fresh.signed(await fresh.build({ nonceAccount: fresh.nonceAccount, memo: memoOf('asked for') }));
  fresh.land(await fresh.build({ nonceAccount: fresh.nonceAccount, memo: memoOf('another') }));
  fresh.ledger.advanceSlots(100);
  const now = fresh.ledger.slot();
  const finalized = now - 32n;
  for (const [nonceSlot, expected] of [
    [now, now],
    [finalized - 1n, finalized],
  ] as const) {
    const asked: unknown[] = [];
    const node = new LedgerNodeHistory(fresh.ledger, 'upstream_1', {
      changeEntries: (entries, { minContextSlot }) => {
        asked.push(minContextSlot);
        return entries;
      },
    });
    const read = node.readNonce.bind(node);
    node.readNonce = async (account) => ({ ...(await read(account)), slot: nonceSlot });
    assertOutcome(await verdictOn(fresh, item, [node]), 'expired');
    assert.deepEqual(asked, [expected]);
  }
});

test('a transaction that a node lists and has only processed proves nothing of a nonce', async () => {
  const fresh = await OutcomeScene.open();
  const item = fresh.signed(await fresh.build({ nonceAccount: fresh.nonceAccount, memo: memoOf('asked for') }));
  fresh.land(await fresh.build({ nonceAccount: fresh.nonceAccount, memo: memoOf('another') }));
  fresh.ledger.advanceSlots(100);
  const node = new LedgerNodeHistory(fresh.ledger, 'upstream_1', {
    changeEntries: (entries) => entries.map((entry) => ({ ...entry, commitment: 'processed' })),
  });
  assertOutcome(await verdictOn(fresh, item, [node]), 'unknown', 'too_few_nodes');
});

describe('a history that a node has only the end of, although it has every block', async () => {
  const fresh = await OutcomeScene.open();
  const { ledger: chain, nonceAccount: ours } = fresh;
  const item = fresh.signed(await fresh.build({ nonceAccount: ours }));
  const [advance] = decodeTransaction(item.bytes).instructions;
  assert.ok(advance);
  const signature = fresh.land(item);
  chain.advanceSlots(1);
  const lifetimeToken = chain.latestBlockhash().blockhash;
  const feePayer = addressOf('alice');
  const bytesOf = (instruction: Instruction): Uint8Array =>
    encodeTransaction({
      version: 'legacy',
      feePayer,
      instructions: [instruction],
      lifetimeToken,
      config: undefined,
    });
  chain.advanceSlots(1);
  fresh.land({ bytes: bytesOf(advance) });
  const [oldest, ...older] = chain.transactionRecordsOf(address(ours));
  assert.ok(oldest && older.some((record) => record.signature === signature));
  chain.advanceSlots(200);

  const theirs = role.writable(freshWallet());
  const creation = { ...advance, accounts: [role.writable(ours)], data: Uint8Array.of(6, ...new Uint8Array(35)) };
  for (const [name, instruction, outcome, error] of [
    ['the creation of the account', creation, 'expired', null],
    ['a creation that failed', creation, 'unknown', { InstructionError: [0, { Custom: 0 }] }],
    ['another use of the account', { ...creation, data: Uint8Array.of(4, 0, 0, 0) }, 'unknown', null],
    ['the creation of another account', { ...creation, accounts: [theirs, role.writable(ours)] }, 'unknown', null],
    ['an instruction of another program', { ...creation, program: tokenProgram }, 'unknown', null],
    ['an instruction without accounts', { ...creation, accounts: [] }, 'unknown', null],
  ] as const) {
    test(`is ${outcome === 'expired' ? 'whole' : 'not whole'} where the oldest of it is ${name}`, async () => {
      // As where the index by addresses began later than the ledger.
      const omitted = new Set(older.map((record) => record.signature));
      const node = new LedgerNodeHistory(chain, 'upstream_1', { omitted });
      const read = node.readTransaction.bind(node);
      node.readTransaction = async (asked) => {
        const landed = await read(asked);
        const bytes = fresh.sign(bytesOf(instruction));
        return landed && { ...withBytes(landed, bytes), error };
      };
      node.faults.changeEntries = (entries) => entries.map((entry) => ({ ...entry, error }));
      assert.equal(await node.readFirstAvailableSlot(), 0n);
      assertOutcome(
        await verdictOn(fresh, item, [node]),
        outcome,
        outcome === 'unknown' ? 'history_pruned' : undefined,
      );
    });
  }
});
