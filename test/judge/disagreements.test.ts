import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { allRules, openCourt } from './court.ts';
import { assertVerdict, type ExpectedVerdict } from './expected-verdict.ts';
import { judgeWorld } from './judge-world.ts';
import { describeVerdict } from './transfers.ts';
import { creating, plainWorld, type TokenAclWorld, token2022, type World } from './world.ts';

interface Case extends ExpectedVerdict {
  world: Partial<World>;
}

const missingAccounts = { senderTokenAccount: 'missing', recipientTokenAccount: 'missing' } as const;

const frozenBy = (tokenAcl: TokenAclWorld): World['mint'] =>
  token2022({ kind: 'default_account_state', frozen: true, tokenAcl });

const cases: Readonly<Record<string, Case>> = {
  'answers a sender who is its own delegate for less, and the permanent delegate of the mint besides': {
    world: {
      mint: token2022({ kind: 'permanent_delegate', delegate: 'sender' }),
      senderTokenAccount: 'delegate_is_owner_for_less',
    },
  },
  'refuses a sender who is its own delegate for less': {
    world: { senderTokenAccount: 'delegate_is_owner_for_less' },
    codes: ['insufficient_token_balance'],
  },
  'answers a sender who is its own delegate for just the amount': {
    world: { mint: token2022(), senderTokenAccount: 'delegate_is_owner_for_enough' },
  },
  'answers a transfer hook with fifteen extra accounts': {
    world: { mint: token2022({ kind: 'transfer_hook', hook: 'most_extras' }) },
  },
  'refuses a transfer hook with sixteen, for which Token-2022 has not the memory': {
    world: { mint: token2022({ kind: 'transfer_hook', hook: 'one_extra_too_many' }) },
    codes: ['transfer_hook_unresolvable'],
  },
  'refuses a transfer hook that asks for the fee payer, whose signature old versions of Token-2022 passed on to it': {
    world: {
      mint: token2022({ kind: 'transfer_hook', hook: 'fee_payer' }),
      options: { feePayer: { wallet: 'wallet', lamports: 'plenty' } },
    },
    codes: ['transfer_hook_names_signer'],
    lands: true,
  },
  'refuses a transfer hook that asks for the sender once more, who pays the fee': {
    world: { mint: token2022({ kind: 'transfer_hook', hook: 'sender_again' }) },
    codes: ['transfer_hook_names_signer'],
    lands: true,
  },
  'answers a transfer hook with thirteen extra accounts derived from five seeds each': {
    world: { mint: token2022({ kind: 'transfer_hook', hook: 'most_extras_of_five_seeds' }) },
  },
  'refuses a transfer hook with fourteen such accounts, for which Token-2022 has not the memory': {
    world: { mint: token2022({ kind: 'transfer_hook', hook: 'one_too_many_of_five_seeds' }) },
    codes: ['transfer_hook_unresolvable'],
  },
  'answers a memo and a hook which together need more than the default compute limit': {
    world: {
      mint: token2022({ kind: 'transfer_hook', hook: 'most_derived_extras' }),
      memo: { text: '漢'.repeat(30), costly: true },
    },
  },
  'answers a memo with a compute limit of its own and a hook that needs more than is left of it': {
    world: {
      mint: token2022({ kind: 'transfer_hook', hook: 'most_derived_extras' }),
      memo: { text: '漢'.repeat(80), costly: true },
    },
  },
  "tells of the sender's missing SOL also when there is no mint": {
    world: {
      mint: { kind: 'oddity', tokenProgram: 'classic', oddity: 'missing' },
      lamports: 'none',
      ...missingAccounts,
    },
    codes: ['mint_not_found', 'insufficient_sol'],
  },
  'tells of a sender that is no wallet also when the mint is none': {
    world: {
      mint: { kind: 'oddity', tokenProgram: 'token_2022', oddity: 'multisig' },
      senderWallet: 'foreign_program',
      ...missingAccounts,
    },
    codes: ['not_a_mint', 'sender_not_a_wallet'],
  },
  'refuses a sender below the rent-exempt minimum from the start, whom newer validators refuse too': {
    world: { lamports: 'fee_and_one' },
    codes: ['insufficient_sol'],
    lands: true,
  },
  'refuses a nonce account as sender, though it could pay the fee': {
    world: { senderWallet: 'nonce' },
    codes: ['sender_not_a_wallet'],
    lands: true,
  },
  'answers a sender who spends the last lamport on fee and rent': {
    world: { ...creating, lamports: 'fee_and_rent', mint: token2022({ kind: 'pausable', paused: false }) },
  },
  'refuses a sender who would keep one lamport': {
    world: { ...creating, lamports: 'fee_and_rent_and_one' },
    codes: ['insufficient_sol'],
  },
  'answers the creation of an account of wrapped SOL whose address holds more than the rent': {
    world: {
      operation: 'create_transfer',
      recipientTokenAccount: 'prefunded_more',
      mint: { kind: 'native', tokenProgram: 'classic' },
    },
  },
  'answers a new token account that the Token ACL program thaws': {
    world: { ...creating, mint: frozenBy('allowing_with_accounts') },
  },
  'refuses a new token account that the gate program of Token ACL blocks': {
    world: { ...creating, mint: frozenBy('blocking') },
    codes: ['simulation_failed'],
  },
  'answers it without checks, and it does not land': {
    world: { ...creating, mint: frozenBy('blocking'), options: { checks: 'none' } },
    lands: false,
  },
  'refuses a new token account that only the issuer thaws': {
    world: { ...creating, mint: frozenBy('closed') },
    codes: ['new_token_account_would_be_frozen'],
  },
  'answers a mint with an extension of an unknown type': {
    world: { mint: token2022({ kind: 'unknown_type' }) },
  },
  'answers a mint whose extensions would make it as long as a multisig': {
    world: {
      ...creating,
      mint: token2022(
        { kind: 'group_pointer' },
        { kind: 'interest_bearing' },
        { kind: 'scaled_ui_amount' },
        { kind: 'default_account_state', frozen: false },
      ),
    },
  },
  'refuses to pay an account whose owner was changed away, though the payment would land': {
    world: { recipientTokenAccount: 'owner_changed' },
    codes: ['recipient_token_account_not_owned'],
    lands: true,
  },
  'refuses to create an account that demands memos': {
    world: { operation: 'create_transfer', mint: token2022(), recipientTokenAccount: 'memo_required' },
    codes: ['recipient_requires_memo'],
  },
};

for (const rules of allRules) {
  describe(`under ${rules.name} the service`, () => {
    const court = openCourt(rules);

    for (const [index, [title, { world, ...expected }]] of Object.entries(cases).entries()) {
      it(title, () => assertVerdict(judgeWorld(court, { ...plainWorld, ...world, number: index }), expected));
    }
  });
}

describe('a mint that is closed and created again under the other token program', () => {
  const [rules] = allRules;
  assert.ok(rules);
  const court = openCourt(rules);
  const number = Object.keys(cases).length;

  it('is taken for what it is now', async () => {
    const before = await judgeWorld(court, { ...plainWorld, number, mint: token2022() });
    assert.equal(before.outcome?.kind, 'landed');
    const after = await judgeWorld(court, { ...plainWorld, number, amount: 999n });
    assert.equal(after.outcome?.kind, 'landed', describeVerdict(after));
  });
});
