import { describe, it } from 'node:test';
import { allRules, openCourt } from './court.ts';
import { assertVerdict, type ExpectedVerdict } from './expected-verdict.ts';
import { judgeWorld } from './judge-world.ts';
import { type MintExtension, plainWorld, token2022, type World } from './world.ts';

interface Case extends ExpectedVerdict {
  world: Partial<World>;
}

const hook: MintExtension = { kind: 'transfer_hook', hook: 'fixed_and_derived' };

// A level of which nothing is known comes to no price. An instruction that sets one would take 12 bytes.
const unknownLevel = { priorityFee: { kind: 'level', level: 'medium', recentPrices: [] } } as const;
const fillingByLevel = (beyondLimit: number): Partial<World> => ({
  mint: token2022(hook),
  memo: { text: 'Invoice 7. ', costly: false, beyondLimit },
  options: unknownLevel,
});

// The classic Memo program takes nearly all that a transaction may spend; the newer one takes little.
const costlyMemoWithHook: Partial<World> = {
  mint: token2022({ kind: 'transfer_hook', hook: 'most_extras_of_nine_seeds' }),
  memo: { text: '漢'.repeat(120), costly: true },
};

// As many control characters as the default compute limit is enough for, and no room for another limit.
const fillingByReferences = {
  operation: 'create_transfer',
  recipientTokenAccount: 'missing',
  mint: token2022({ kind: 'mint_close_authority' }),
  memo: { text: '\u0001'.repeat(437), costly: true },
} as const;
const eightReferences = { references: [0, 1, 2, 3, 4, 5, 6, 7], memoField: 'yid' } as const;

// Token-2022 reads the memo that the recipient demands into the memory that the hook's accounts take, too.
const hookWithDemandedMemo: Partial<World> = {
  mint: token2022({ kind: 'transfer_hook', hook: 'most_extras_of_five_seeds' }),
  recipientTokenAccount: 'memo_required',
  options: { references: [0, 1, 2, 3, 4], transactionVersion: 1 },
};

const cases: Readonly<Record<string, Case>> = {
  'answers a memo that takes the room of a price which comes to nothing': {
    world: fillingByLevel(12),
  },
  'refuses a memo of one byte more': {
    world: fillingByLevel(13),
    codes: ['transaction_too_large'],
  },
  'does not name the size next to a recipient that is a program when the transaction would fit': {
    world: { ...fillingByLevel(1), recipientWallet: 'token_program' },
    codes: ['recipient_is_program'],
  },
  'names the size next to a recipient that is a program when the transaction would not fit': {
    world: { ...fillingByLevel(13), recipientWallet: 'token_program' },
    codes: ['recipient_is_program', 'transaction_too_large'],
  },
  'does not name the size next to a mint that cannot be transferred when the transaction would fit': {
    world: { ...fillingByLevel(12), mint: token2022(hook, { kind: 'non_transferable' }) },
    codes: ['mint_non_transferable'],
  },
  'names the size next to a mint that cannot be transferred when the transaction would not fit': {
    world: { ...fillingByLevel(13), mint: token2022(hook, { kind: 'non_transferable' }) },
    codes: ['mint_non_transferable', 'transaction_too_large'],
  },
  'answers a costly memo that leaves no room for the compute limit which it does not need': {
    world: {
      ...fillingByReferences,
      options: { ...eightReferences, nonceAccount: { state: 'of_sender', sentLate: true } },
    },
  },
  'does not name the size of such a memo next to a wallet as nonce account': {
    world: {
      ...fillingByReferences,
      options: { ...eightReferences, nonceAccount: { state: 'wallet', sentLate: true } },
    },
    codes: ['not_a_nonce_account'],
  },
  'names the size next to a wallet as nonce account when the advance of the nonce is what does not fit': {
    world: {
      mint: token2022(hook),
      memo: { text: 'a', costly: false, beyondLimit: 1 },
      options: { nonceAccount: { state: 'wallet', sentLate: false } },
    },
    codes: ['not_a_nonce_account', 'transaction_too_large'],
  },
  'names both for a token program as recipient and nonce account, of which no transaction can be made': {
    world: {
      recipientWallet: 'token_program',
      memo: { text: 'Invoice 7. ', costly: false, beyondLimit: 0 },
      options: { nonceAccount: { state: 'recipient', sentLate: false } },
    },
    codes: ['recipient_is_program', 'not_a_nonce_account'],
  },
  'answers a hook with many accounts for a recipient who demands a memo, when it is short': {
    world: { ...hookWithDemandedMemo, memo: { text: 'a'.repeat(100), costly: false } },
  },
  'refuses such a hook with a long memo, for which Token-2022 has not the memory': {
    world: { ...hookWithDemandedMemo, memo: { text: 'a'.repeat(919), costly: false } },
    codes: ['transfer_hook_unresolvable'],
  },
  'answers such a hook with a long memo, when the recipient does not demand it': {
    world: {
      ...hookWithDemandedMemo,
      recipientTokenAccount: 'open',
      memo: { text: 'a'.repeat(919), costly: false },
    },
  },
  'names with a mint that is none what is wrong whatever the mint is': {
    world: {
      operation: 'create_transfer',
      mint: { kind: 'oddity', tokenProgram: 'classic', oddity: 'missing' },
      senderTokenAccount: 'missing',
      recipientTokenAccount: 'missing',
      recipientWallet: 'off_curve',
      options: {
        nonceAccount: { state: 'missing', sentLate: false },
        priorityFee: { kind: 'price', price: 10n ** 9n },
      },
    },
    codes: ['mint_not_found', 'recipient_off_curve', 'nonce_account_not_found', 'priority_fee_too_high'],
  },
  'names a mint that is none alone where the third signer of a nonce is what does not fit': {
    world: {
      mint: { kind: 'oddity', tokenProgram: 'classic', oddity: 'wallet' },
      senderTokenAccount: 'missing',
      recipientTokenAccount: 'missing',
      memo: { text: 'a', costly: false, beyondLimit: 1 },
      options: { nonceAccount: { state: 'of_another', sentLate: false } },
    },
    codes: ['not_a_mint'],
  },
  'refuses a priority fee that is more than any account can hold, of a payer who has all SOL there is': {
    world: {
      lamports: 'fee_and_minimum',
      memo: { text: 'a', costly: true, beyondLimit: -400 },
      options: { priorityFee: { kind: 'price', price: 2n ** 64n - 1n }, transactionVersion: 1 },
    },
    codes: ['insufficient_sol', 'priority_fee_too_high'],
  },
};

for (const rules of allRules) {
  describe(`given several reasons, under ${rules.name} the service`, () => {
    const court = openCourt(rules);

    for (const [index, [title, { world, ...expected }]] of Object.entries(cases).entries()) {
      it(title, () => assertVerdict(judgeWorld(court, { ...plainWorld, ...world, number: 2_000 + index }), expected));
    }

    it('refuses a memo and a hook which together could need more compute units than a transaction may spend', () => {
      const world = { ...plainWorld, ...costlyMemoWithHook, number: 3_000 };
      const lands = !rules.classicMemoProgram;
      return assertVerdict(judgeWorld(court, world), { codes: ['transfer_hook_unresolvable'], lands });
    });
  });
}
