import { describe, it } from 'node:test';
import { allRules, openCourt } from './court.ts';
import { assertVerdict, type ExpectedVerdict } from './expected-verdict.ts';
import { judgeWorld } from './judge-world.ts';
import type { OptionsWorld } from './options-world.ts';
import { creating, plainTransfer, plainWorld, token2022, type World } from './world.ts';

interface Case extends ExpectedVerdict {
  options: OptionsWorld;
  world?: Partial<World>;
}

const paidByAnother = { feePayer: { wallet: 'wallet', lamports: 'plenty' } } as const;
const fromVault = { operation: 'transfer', transfer: plainTransfer, senderWallet: 'vault' } as const;
const tenReferences = { references: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] } as const;
const highest = { kind: 'at_maximum', above: 0n } as const;

const cases: Readonly<Record<string, Case>> = {
  'answers a sender without a lamport when another pays fee and rent': {
    options: paidByAnother,
    world: { ...creating, lamports: 'none' },
  },
  'answers a sender of another program, which could not pay, when another does': {
    options: paidByAnother,
    world: { senderWallet: 'foreign_program' },
  },
  'refuses a sender that is a multisig, whose own signature moves nothing': {
    options: paidByAnother,
    world: { senderWallet: 'multisig' },
    codes: ['sender_not_a_wallet'],
  },
  'answers a payer who spends the last lamport on fee, priority fee and rent': {
    options: { feePayer: { wallet: 'wallet', lamports: 'fee_and_rent' }, priorityFee: highest },
    world: creating,
  },
  'refuses a payer who would keep one lamport': {
    options: { feePayer: { wallet: 'wallet', lamports: 'fee_and_rent_and_one' }, priorityFee: highest },
    world: creating,
    codes: ['insufficient_sol'],
  },
  'refuses a nonce account as payer, though it could pay': {
    options: { feePayer: { wallet: 'nonce', lamports: 'plenty' } },
    codes: ['fee_payer_not_a_wallet'],
    lands: true,
  },
  'refuses a priority fee just above the maximum, though it lands': {
    options: { priorityFee: { kind: 'at_maximum', above: 1n } },
    codes: ['priority_fee_too_high'],
    lands: true,
  },
  'holds a level to the maximum': {
    options: { priorityFee: { kind: 'level', level: 'low', recentPrices: [10n ** 12n] }, transactionVersion: 1 },
  },
  'answers a level of which nothing is known without a price': {
    options: { priorityFee: { kind: 'level', level: 'high', recentPrices: [] } },
  },
  "answers with a nonce of the payer's, sent when every blockhash of its time has expired": {
    options: { ...paidByAnother, nonceAccount: { state: 'of_fee_payer', sentLate: true } },
  },
  'answers with a nonce of a third signer': {
    options: { ...paidByAnother, nonceAccount: { state: 'of_another', sentLate: true } },
  },
  'refuses a nonce account of before nonces were durable': {
    options: { nonceAccount: { state: 'old_version', sentLate: false } },
    codes: ['nonce_account_not_initialized'],
  },
  'answers a memo of the last byte that version 1 has room for': {
    options: { transactionVersion: 1 },
    world: { memo: { text: 'a', costly: false, beyondLimit: 0 } },
  },
  'refuses a memo of one byte more': {
    options: { transactionVersion: 1 },
    world: { memo: { text: 'a', costly: false, beyondLimit: 1 } },
    codes: ['memo_too_long'],
  },
  'answers references, a memo and a creation together, for an account that demands memos': {
    options: { ...tenReferences, memoField: 'yid' },
    world: { operation: 'create_transfer', mint: token2022(), recipientTokenAccount: 'memo_required' },
  },
  'answers two references with the maximum of accounts that a hook can have': {
    options: { references: [0, 1], transactionVersion: 1 },
    world: { mint: token2022({ kind: 'transfer_hook', hook: 'most_derived_extras' }) },
  },
  'refuses ten with them, for which Token-2022 lacks the memory': {
    options: { ...tenReferences, transactionVersion: 1 },
    world: { mint: token2022({ kind: 'transfer_hook', hook: 'most_derived_extras' }) },
    codes: ['transfer_hook_unresolvable'],
  },
  'answers a recipient off the curve that is meant': {
    options: { allowOffCurveRecipient: true },
    world: { ...creating, recipientWallet: 'off_curve' },
  },
  'answers without checks what does not land yet': {
    options: { checks: 'none' },
    world: { lamports: 'none', balance: 'zero', recipientTokenAccount: 'missing' },
    lands: false,
  },
  // The creation looks at the owner; without it the transfer lands, and pays somebody else.
  'refuses without checks to pay somebody else by memo_transfer': {
    options: { checks: 'none' },
    world: { operation: 'memo_transfer', recipientTokenAccount: 'owner_changed' },
    codes: ['recipient_token_account_not_owned'],
    lands: true,
  },
  'refuses without checks to pay somebody else by create_transfer': {
    options: { checks: 'none' },
    world: { operation: 'create_transfer', recipientTokenAccount: 'owner_changed' },
    codes: ['recipient_token_account_not_owned'],
    lands: false,
  },
  'refuses without checks to pay somebody else under Token-2022': {
    options: { checks: 'none' },
    world: { operation: 'yid_transfer', mint: token2022(), recipientTokenAccount: 'owner_changed' },
    codes: ['recipient_token_account_not_owned'],
    lands: true,
  },
  'refuses without checks to pay from an account of somebody else': {
    options: { checks: 'none' },
    world: { senderTokenAccount: 'owner_changed' },
    codes: ['sender_token_account_not_owned'],
  },
  'answers a vault that spends its last lamport on rent, and is executed long after its blockhash': {
    options: { allowOffCurveRecipient: true },
    world: { ...creating, ...fromVault, lamports: 'fee_and_rent', recipientWallet: 'off_curve' },
  },
  'refuses a vault that would keep one lamport': {
    options: {},
    world: { ...creating, ...fromVault, lamports: 'fee_and_rent_and_one' },
    codes: ['insufficient_sol'],
  },
  'answers a vault that keeps one lamport where nothing is created': {
    options: {},
    world: { ...fromVault, lamports: 'one' },
  },
  'refuses without checks a mint whose tokens can never move': {
    options: { checks: 'none' },
    world: { mint: token2022({ kind: 'non_transferable' }) },
    codes: ['mint_non_transferable'],
  },
};

for (const rules of allRules) {
  describe(`asked for more, under ${rules.name} the service`, () => {
    const court = openCourt(rules);

    for (const [index, [title, { world, options, ...expected }]] of Object.entries(cases).entries()) {
      const number = 1_000 + index;
      it(title, () => assertVerdict(judgeWorld(court, { ...plainWorld, ...world, options, number }), expected));
    }
  });
}
