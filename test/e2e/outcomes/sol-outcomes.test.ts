import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { Keypair, SystemProgram, Transaction, type TransactionInstruction } from '@solana/web3.js';
import { toKeypair } from '../../setup/wallets.ts';
import { startOutcomeService } from './outcome-service.ts';

const scene = await startOutcomeService({ after });
const { ledger, alice, bob, carol, build, sign, land, signChanged, ask, askUntil } = scene;
const inSol = { token_mint_address: 'SOL', memo: 'order 1' };
const aliceKey = toKeypair(alice.secret_key);
const other = Keypair.generate().publicKey;

/** Lets the payment of bytes land in a transaction of its own, with other instructions around it; its signature. */
function landWith(
  bytes: Uint8Array,
  change: (instructions: TransactionInstruction[]) => TransactionInstruction[],
): string {
  const transaction = Transaction.from(bytes);
  transaction.recentBlockhash = ledger.latestBlockhash().blockhash;
  transaction.instructions = change(transaction.instructions);
  transaction.sign(aliceKey);
  return land(transaction.serialize().toString('base64'));
}

describe('What became of a transfer of SOL', () => {
  it('is that it landed, with what arrived at the wallet', async () => {
    const built = await build({ ...inSol, amount: '1000001' });
    const signature = land(await sign(built.bytes));
    const landed = await askUntil(built.question, ({ outcome }) => outcome === 'landed');
    assert.deepEqual([landed.signature, landed.matched_by, landed.is_final], [signature, 'message', true]);
    assert.deepEqual(landed.payments, [
      { recipient: bob.address, recipient_token_account: null, amount: '1000001', received_amount: '1000001' },
    ]);
  });

  it('is found after a wallet replaced its blockhash and fee payer, and added a compute budget', async () => {
    const built = await build({ ...inSol, amount: '1000002', fee_payer: alice.address });
    ledger.advanceSlots(5);
    const signature = land(signChanged(built.bytes));
    const found = await askUntil(built.question, ({ outcome }) => outcome === 'landed');
    assert.deepEqual([found.signature, found.matched_by], [signature, 'content']);
  });

  it('is told of a sponsored one, whose fee payer sends nothing of it', async () => {
    const built = await build({ ...inSol, amount: '1000003', fee_payer: carol.address });
    const signature = land(await sign(built.bytes, carol, alice));
    const landed = await askUntil(built.question, ({ outcome }) => outcome === 'landed');
    assert.deepEqual([landed.signature, landed.payments?.length], [signature, 1]);
  });

  it('is doubtful of one that sends more, and open where another amount landed', async () => {
    const more = await build({ ...inSol, amount: '1000004' });
    const extra = { fromPubkey: aliceKey.publicKey, toPubkey: other, lamports: 5_000_000 };
    const signature = landWith(more.bytes, (all) => [...all, SystemProgram.transfer(extra)]);
    await askUntil(more.question, ({ outcome, reason }) => {
      return outcome === 'pending' && reason.includes(`A payment is on chain that may be this one: ${signature}`);
    });
    const [less, asked] = [await build({ ...inSol, amount: '1000005' }), await build({ ...inSol, amount: '1000006' })];
    land(await sign(less.bytes));
    await askUntil(less.question, ({ outcome }) => outcome === 'landed');
    const [open] = await ask(asked.question);
    assert.equal(open?.outcome, 'pending');
    assert.doesNotMatch(`${open?.reason}`, /may be this one/);
  });

  it('needs a transfer by the last signer', async () => {
    const transaction = new Transaction();
    transaction.feePayer = aliceKey.publicKey;
    transaction.recentBlockhash = ledger.latestBlockhash().blockhash;
    transaction.add(SystemProgram.nonceAdvance({ noncePubkey: other, authorizedPubkey: aliceKey.publicKey }));
    const bytes = transaction.serialize({ requireAllSignatures: false, verifySignatures: false });
    const response = await scene.service.post('/v1/transfers/outcome', { transaction: bytes.toString('base64') });
    const { errors } = JSON.parse(await response.text());
    assert.equal(errors[0].code, 'not_a_transfer');
  });
});
