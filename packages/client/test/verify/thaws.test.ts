import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { thawFlagAddress, tokenAclConfigurationAddress } from '../../../core/src/accounts/token-acl.ts';
import type { Address } from '../../../core/src/addresses/address.ts';
import { token2022Program, tokenAclProgram } from '../../../core/src/addresses/programs.ts';
import { planInstructions } from '../../../core/src/plan/plan-message.ts';
import { gateListAddress } from '../../../core/src/plan/resolve-thaw.ts';
import type { TransferPlan } from '../../../core/src/plan/transfer-plan.ts';
import { encodeTransaction } from '../../../core/src/transaction/encode-transaction.ts';
import { type Instruction, role } from '../../../core/src/transaction/instruction.ts';
import { changed, freshAddress, paymentOf, planWith, recipientOf } from '../../../core/test/fixtures.ts';
import { type VerificationCode, VerificationError, verifyTransfer } from '../../src/verify/index.ts';

const [gateProgram, extra, lifetimeToken] = [freshAddress(), freshAddress(), freshAddress()];
const bare = planWith({ tokenProgram: token2022Program, createsRecipientTokenAccount: true, feePayer: freshAddress() });
const { sender, mint, feePayer } = bare;
const { recipient, recipientTokenAccount, amount } = recipientOf(bare);
const list = gateListAddress(mint, gateProgram).address;
const plan = changed(bare, {
  thaw: {
    configuration: tokenAclConfigurationAddress(mint),
    flag: thawFlagAddress(recipientTokenAccount).address,
    gateProgram,
    gateAccounts: [list, extra],
    bumpSteps: 0,
  },
});
const request = {
  from_address: sender,
  to_address: recipient,
  token_mint_address: mint,
  amount: `${amount}`,
  fee_payer: feePayer,
};

/** The reply with a plan's transaction, in which the thaw is changed. */
function replyOf(of: TransferPlan, change: (thaw: Instruction) => readonly Instruction[] = (thaw) => [thaw]): object {
  const instructions = planInstructions(of).flatMap((each) =>
    each.program === tokenAclProgram ? change(each) : [each],
  );
  const bytes = encodeTransaction({ version: 'legacy', feePayer, instructions, lifetimeToken, config: undefined });
  const lifetime = { blockhash: lifetimeToken, last_valid_block_height: '1000' };
  const transaction = Buffer.from(bytes).toString('base64');
  return { data: { transaction, transaction_version: 'legacy', lifetime, signers: [feePayer, sender] } };
}

const nonce = { account: freshAddress(), authority: freshAddress(), nonce: lifetimeToken };

/** A request for the same with a nonce whose authority signs for nothing else, and its reply, in which the gate program reads this account. */
function nonceCase(read: Address): readonly [asked: object, reply: object] {
  const reply = replyOf({ ...plan, nonce }, (thaw) => [
    { ...thaw, accounts: thaw.accounts.with(10, role.readonly(read)) },
  ]);
  const { data } = Object(reply);
  const lifetime = { nonce: lifetimeToken, nonce_account: nonce.account };
  return [{ ...request, nonce_account: nonce.account }, { data: { ...data, lifetime, signers: undefined } }];
}

const options = { operation: '/v1/transfers', allowThaw: true } as const;

async function codeOf(asked: object, reply: object, allowed: object = options): Promise<VerificationCode | 'verified'> {
  try {
    await verifyTransfer(asked, reply, { ...allowed, operation: '/v1/transfers' });
    return 'verified';
  } catch (error) {
    if (error instanceof VerificationError) return error.code;
    throw error;
  }
}

describe('the thaw of the recipient by the Token ACL program', () => {
  it('is accepted where the caller allows it, and listed with what the gate program reads', async () => {
    const { payments, sentence } = await verifyTransfer(request, replyOf(plan), options);
    assert.deepEqual(payments[0]?.thaw, { gateProgram, gateAccounts: [list, extra] });
    assert.ok(sentence.includes(`token accounts are thawed if the gate program ${gateProgram} agrees`));
  });

  it('is refused where the caller does not allow it, or asked for no account to be made ready', async () => {
    assert.equal(await codeOf(request, replyOf(plan), {}), 'thaw_not_allowed');
    const never = changed(plan, { createsRecipientTokenAccount: false });
    assert.equal(await codeOf({ ...request, create_token_account: 'never' }, replyOf(never)), 'thaw_not_allowed');
    const other = await verifyTransfer(request, replyOf(never), options);
    assert.equal(other.payments[0]?.createsTokenAccount, false);
  });

  it('has every account that the Token ACL program asks for, in its place and with its rights', async () => {
    const [thaw] = planInstructions(plan).filter(({ program }) => program === tokenAclProgram);
    assert.ok(thaw);
    for (const [index, { address }] of thaw.accounts.entries()) {
      // What the gate program reads beyond its list is its own.
      if (address === extra) continue;
      const changed = replyOf(plan, (each) => [
        { ...each, accounts: each.accounts.with(index, role.readonly(freshAddress())) },
      ]);
      assert.equal(await codeOf(request, changed), 'wrong_account', `account ${index}`);
    }
    for (const count of [0, 8, 9]) {
      const shorter = replyOf(plan, (each) => [{ ...each, accounts: each.accounts.slice(0, count) }]);
      assert.equal(await codeOf(request, shorter), 'wrong_account', `${count} accounts`);
    }
  });

  it('lets the gate program write nothing, and gives it nothing that the transaction writes', async () => {
    for (const [address, meta] of [
      ['an account that it may write', role.writable(freshAddress())],
      ["the sender's tokens", role.readonly(plan.senderTokenAccount)],
      ['the fee payer', role.readonly(feePayer)],
    ] as const) {
      const changed = replyOf(plan, (each) => [{ ...each, accounts: each.accounts.with(10, meta) }]);
      assert.equal(await codeOf(request, changed), 'wrong_account', address);
    }
    const again = replyOf(plan, (each) => [{ ...each, accounts: each.accounts.with(10, role.readonly(sender)) }]);
    assert.equal(await codeOf(request, again), 'verified');
  });

  it('hands on the signature of no one but the sender', async () => {
    assert.equal(await codeOf(...nonceCase(extra)), 'verified');
    assert.equal(await codeOf(...nonceCase(nonce.authority)), 'wrong_account');
  });

  it('is that instruction, once, before the payment of this recipient', async () => {
    const changes: Readonly<Record<string, (thaw: Instruction) => readonly Instruction[]>> = {
      'another instruction': (thaw) => [{ ...thaw, data: Uint8Array.of(6) }],
      'more data': (thaw) => [{ ...thaw, data: Uint8Array.of(9, 0) }],
      twice: (thaw) => [thaw, thaw],
    };
    const codes: string[] = [];
    for (const change of Object.values(changes)) codes.push(await codeOf(request, replyOf(plan, change)));
    assert.deepEqual(codes, ['wrong_data', 'wrong_data', 'wrong_instruction']);
    assert.equal(
      await codeOf(
        request,
        replyOf(plan, () => []),
      ),
      'verified',
    );
    const stranger = paymentOf(plan, { recipient: freshAddress(), amount: 1n });
    const flag = thawFlagAddress(stranger.recipientTokenAccount).address;
    const foreign = replyOf(plan, ({ accounts, ...each }) => {
      const own = accounts.with(2, role.writable(stranger.recipientTokenAccount)).with(3, role.writable(flag));
      return [{ ...each, accounts: own.with(4, role.readonly(stranger.recipient)) }];
    });
    assert.equal(await codeOf(request, foreign), 'wrong_account');
  });
});
