import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { towerEnvironment } from '../../setup/sandbox.ts';
import { named } from '../../setup/wallets.ts';
import { startOutcomeService } from './outcome-service.ts';

const scene = await startOutcomeService({ after });
const { ledger, world, alice, bob, build, sign, land, signChanged, ask, askUntil } = scene;
const [nonceAccount] = world.nonce_accounts;
const taxed = named(world.mints, 'TAXED').address;

/** Lets so many blocks pass that a blockhash of now is dead, and its last block final, however a wallet changed it. */
const outliveAll = (): void => ledger.advanceSlots(150 + 151 + 1);

describe('POST /v1/transfers/outcome', () => {
  it('says that a signed transfer landed, what was received, and that it is final', async () => {
    const built = await build({ token_mint_address: taxed, amount: '1000000', memo: 'order 1', priority_fee: '25000' });
    const signed = await sign(built.bytes);
    const signature = land(signed);
    const question = { ...built.question, transaction: signed };
    const landed = await askUntil(question, ({ outcome }) => outcome === 'landed');
    assert.deepEqual([landed.signature, landed.matched_by, landed.commitment], [signature, 'signature', 'finalized']);
    assert.equal(landed.is_final, true);
    const [payment, ...others] = landed.payments ?? [];
    assert.deepEqual(
      [payment?.recipient, payment?.recipient_token_account, others],
      [bob.address, built.tokenAccount, []],
    );
    assert.equal(payment?.amount, '1000000');
    assert.ok(BigInt(payment?.received_amount ?? 0) < 1_000_000n, 'the mint withholds a fee');
    assert.ok(BigInt(landed.network_fee ?? 0) > 5_000n, 'the fee has the priority in it');
    assert.ok(Math.abs(Date.now() / 1000 - Number(landed.block_time)) < 600);
  });

  it('says confirmed first and final 32 slots later where the consensus is TowerBFT', async (t) => {
    const tower = await startOutcomeService(t, towerEnvironment);
    const built = await tower.build({ amount: '10', memo: 'order 1' });
    const signed = await tower.sign(built.bytes);
    tower.land(signed);
    const question = { ...built.question, transaction: signed };
    const confirmed = await tower.askUntil(question, ({ outcome }) => outcome === 'landed');
    assert.deepEqual([confirmed.commitment, confirmed.is_final], ['confirmed', false]);
    tower.ledger.advanceSlots(32);
    const final = await tower.askUntil(question, ({ is_final: isFinal }) => isFinal);
    assert.deepEqual([final.outcome, final.commitment, final.slot], ['landed', 'finalized', confirmed.slot]);
  });

  it('finds it after a wallet replaced its blockhash and fee payer, and added a compute budget', async () => {
    const built = await build({ amount: '12', memo: 'order 3' });
    ledger.advanceSlots(5);
    const signature = land(signChanged(built.bytes));
    const found = await askUntil(built.question, ({ outcome }) => outcome === 'landed');
    assert.deepEqual([found.signature, found.matched_by], [signature, 'content']);
  });

  it('says why one failed on chain', async () => {
    const built = await build({ amount: '18446744073709551615', memo: 'order 4', checks: 'none' });
    const signed = await sign(built.bytes);
    const signature = land(signed, true);
    const failed = await askUntil({ ...built.question, transaction: signed }, ({ outcome }) => outcome === 'failed');
    assert.equal(failed.signature, signature);
    assert.match(
      failed.reason,
      /Instruction 2 failed, the transfer by SPL Token: the balance is too small \(custom error 0x1\)\./,
    );
    assert.equal(failed.is_final, true);
  });

  it('says that one which nobody submitted can land, and later that it never can', async () => {
    const built = await build({ amount: '13', memo: 'order 5' });
    const height = BigInt(built.question.last_valid_block_height ?? 0);
    const [pending] = await ask(built.question);
    assert.deepEqual([pending?.outcome, pending?.reason_code, pending?.is_final], ['pending', 'lifetime', false]);
    assert.equal(pending?.last_valid_block_height, `${height + 151n}`);
    outliveAll();
    const expired = await askUntil(built.question, ({ outcome }) => outcome === 'expired');
    assert.equal(expired.is_final, true);
    assert.ok(BigInt(expired.block_height ?? 0) > BigInt(expired.last_valid_block_height ?? 0));
  });

  it('says of a signed one that it never can 150 blocks earlier, since its blockhash cannot change', async () => {
    const built = await build({ amount: '14', memo: 'order 6' });
    const question = { ...built.question, transaction: await sign(built.bytes) };
    assert.equal((await ask(question))[0]?.outcome, 'pending');
    ledger.advanceSlots(150 + 1 + 1);
    await askUntil(question, ({ outcome }) => outcome === 'expired');
    assert.equal(
      (await ask(built.question))[0]?.outcome,
      'pending',
      'as it was built, it can be signed with another blockhash',
    );
  });

  it('holds a transfer with a nonce for pending until another transaction has used the nonce', async () => {
    const nonce = { nonce_account: nonceAccount?.address };
    const [mine, other] = [await build({ ...nonce, amount: '16' }), await build({ ...nonce, amount: '17' })];
    const question = { transaction: await sign(mine.bytes) };
    outliveAll();
    assert.deepEqual((await ask(question))[0]?.reason_code, 'nonce_unused');
    const signature = land(await sign(other.bytes));
    assert.equal(
      (await askUntil({ transaction: other.transaction }, ({ outcome }) => outcome === 'landed')).signature,
      signature,
    );
    const expired = await askUntil(question, ({ outcome }) => outcome === 'expired');
    assert.equal(expired.nonce_used_by, signature);
  });

  it('answers several at once, in their order', async () => {
    const [first, second] = [
      await build({ amount: '18', memo: 'order 8' }),
      await build({ amount: '19', memo: 'order 9' }),
    ];
    const signature = land(await sign(second.bytes));
    await askUntil(second.question, ({ outcome }) => outcome === 'landed');
    const transactions = [first.question, { ...second.question, transaction: [...second.bytes] }, first.question];
    const verdicts = await ask({ transactions });
    assert.deepEqual(
      verdicts.map((verdict) => [verdict.outcome, verdict.signature]),
      [
        ['pending', undefined],
        ['landed', signature],
        ['pending', undefined],
      ],
    );
  });

  it('knows the payments of splits', async () => {
    const splits = [{ to_address: scene.carol.address, amount: '3' }];
    const built = await build({ amount: '21', memo: 'order 10', splits });
    land(await sign(built.bytes, alice));
    const found = await askUntil(built.question, ({ outcome }) => outcome === 'landed');
    assert.deepEqual(
      found.payments?.map(({ recipient, amount, received_amount: received }) => [recipient, amount, received]),
      [
        [scene.carol.address, '3', '3'],
        [bob.address, '21', '21'],
      ],
    );
  });
});
