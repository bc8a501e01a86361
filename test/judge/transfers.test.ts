import { describe, it } from 'node:test';
import { allRules, openCourt } from './court.ts';
import { assertVerdict, type ExpectedVerdict } from './expected-verdict.ts';
import { judgeWorld } from './judge-world.ts';
import {
  plainTransfer,
  plainWorld,
  type RecipientTokenAccount,
  type SplitWorld,
  type TransferWorld,
  token2022,
  type World,
} from './world.ts';

interface Case extends ExpectedVerdict {
  transfer: Partial<TransferWorld>;
  world?: Partial<World>;
}

const split = (tokenAccount: RecipientTokenAccount, amount = 100n): SplitWorld => {
  return { payee: { kind: 'other', wallet: 'funded', tokenAccount }, amount };
};
const toRecipient: SplitWorld = { payee: { kind: 'recipient' }, amount: 7n };
const [open, missing] = [split('open'), split('missing')];
const hooked = token2022({ kind: 'transfer_hook', hook: 'fixed_and_derived' });

const native: World['mint'] = { kind: 'native', tokenProgram: 'classic' };
const withholding = (basisPoints: number): World['mint'] => {
  const older = { basisPoints, maximumFee: 2n ** 64n - 1n };
  return token2022({ kind: 'transfer_fee', older, newer: { ...older, basisPoints: 10_000 }, newerCounts: 'later' });
};
const x402 = { layout: 'x402' } as const;
const sponsored = (options: World['options']): Partial<World> => {
  return { options: { ...options, feePayer: { wallet: 'wallet', lamports: 'plenty' } } };
};

const cases: Readonly<Record<string, Case>> = {
  'answers five splits whose accounts are missing, next to one that is missing, too': {
    transfer: { splits: [missing, missing, missing, missing, missing] },
    world: { recipientTokenAccount: 'missing' },
  },
  'answers one creation for a recipient that is paid three times': {
    transfer: { createTokenAccount: 'always', splits: [toRecipient, open, toRecipient] },
    world: { recipientTokenAccount: 'missing', lamports: 'fee_and_rent' },
  },
  'answers a balance that is just the sum': {
    transfer: { splits: [open, split('open', 899n)] },
    world: { balance: 'exact' },
  },
  'refuses a balance of one base unit less than the sum, though it is enough for each payment': {
    transfer: { splits: [open, open] },
    world: { balance: 'one_less' },
    codes: ['insufficient_token_balance'],
  },
  'refuses a recipient that is a multisig of the other token program, which is there to receive and cannot send on': {
    transfer: {},
    world: { recipientWallet: 'other_multisig' },
    codes: ['recipient_multisig_of_other_program'],
    lands: true,
  },
  'refuses such a multisig under Token-2022, and as a split': {
    transfer: { splits: [{ payee: { kind: 'other', wallet: 'other_multisig', tokenAccount: 'missing' }, amount: 1n }] },
    world: { mint: token2022(), recipientWallet: 'other_multisig' },
    codes: ['recipient_multisig_of_other_program', 'recipient_multisig_of_other_program'],
    lands: true,
  },
  'answers a recipient that is a multisig of the token program of the mint': {
    transfer: {},
    world: { recipientWallet: 'multisig' },
  },
  'refuses a sum that no token account can hold': {
    transfer: { splits: [split('open', 2n ** 64n - 1n)] },
    codes: ['insufficient_token_balance'],
  },
  'answers lamports for the fee and all rents': {
    transfer: { splits: [missing, split('prefunded_less'), split('prefunded_more')] },
    world: { recipientTokenAccount: 'missing', lamports: 'fee_and_rent' },
  },
  'refuses lamports for all rents but the last lamport': {
    transfer: { splits: [missing, split('prefunded_less'), split('prefunded_more')] },
    world: { recipientTokenAccount: 'missing', lamports: 'fee_and_rent_less_one' },
    codes: ['insufficient_sol'],
  },
  'refuses a split to an account that demands memos, which only the main payment has': {
    transfer: { hasMemo: true, splits: [open, split('memo_required')] },
    world: { mint: token2022(), recipientTokenAccount: 'memo_required' },
    codes: ['recipient_requires_memo'],
  },
  'names each payment that has a reason': {
    transfer: { createTokenAccount: 'never', splits: [split('frozen'), open, split('frozen')] },
    world: { recipientTokenAccount: 'missing' },
    codes: ['recipient_token_account_not_found', 'recipient_token_account_frozen', 'recipient_token_account_frozen'],
  },
  'refuses a split to the sender': {
    transfer: { splits: [{ payee: { kind: 'other', wallet: 'sender', tokenAccount: 'open' }, amount: 5n }] },
    codes: ['same_wallet'],
    lands: true,
  },
  'answers a split to the wallet that pays the fee': {
    transfer: { splits: [{ payee: { kind: 'fee_payer', tokenAccount: 'missing' }, amount: 5n }] },
    world: { options: { feePayer: { wallet: 'wallet', lamports: 'fee_and_rent' } }, lamports: 'none' },
  },
  'answers several transfers of a mint with a hook and a fee, each with its own accounts': {
    transfer: { hasMemo: true, splits: [open, missing, { payee: { kind: 'split', index: 1 }, amount: 7n }] },
    world: {
      mint: token2022(
        { kind: 'transfer_hook', hook: 'fixed_and_derived' },
        {
          kind: 'transfer_fee',
          older: { basisPoints: 0, maximumFee: 0n },
          newer: { basisPoints: 250, maximumFee: 5n },
          newerCounts: 'from_now',
        },
      ),
      recipientTokenAccount: 'memo_required',
      options: { transactionVersion: 1, references: [0, 1], priorityFee: { kind: 'at_maximum', above: 0n } },
    },
  },
  'answers a memo of the last byte that hooks, splits and a creation leave': {
    transfer: { hasMemo: true, splits: [open, missing] },
    world: { mint: hooked, memo: { text: 'a', costly: true, beyondLimit: 0 } },
  },
  'refuses more accounts than a transaction may have, though its bytes would fit': {
    transfer: { splits: [open, open, open, open, open] },
    world: {
      mint: token2022({ kind: 'transfer_hook', hook: 'most_extras_of_five_seeds' }),
      options: { transactionVersion: 1 },
    },
    codes: ['transaction_too_large'],
  },
  'answers an owner that is its own delegate for just the first payment, and sends the rest as the owner': {
    transfer: { splits: [open, open] },
    world: { senderTokenAccount: 'delegate_is_owner_for_first_payment' },
  },
  'refuses an owner that is its own delegate for one base unit less than the sum': {
    transfer: { splits: [open, open] },
    world: { senderTokenAccount: 'delegate_is_owner_for_less' },
    codes: ['insufficient_token_balance'],
  },
  'answers a sender that is the delegate of another owner for just the sum': {
    transfer: { splits: [open, open] },
    world: { senderTokenAccount: 'delegate_of_another' },
  },
  'answers an amount in whole tokens to its last digit': {
    transfer: { amountText: 'padded_decimal' },
    world: { amount: 1_234_567_890_123_456_789n },
  },
  'wraps what is missing into a token account that it creates, and unwraps nothing': {
    transfer: { wraps: true, splits: [missing] },
    world: { mint: native, senderTokenAccount: 'missing', lamports: 'fee_and_rent' },
  },
  'wraps all that the sender has beside the fee, and gets the rent of its token account back': {
    transfer: { wraps: true, unwraps: true, hasMemo: true },
    world: {
      ...{ mint: native, amount: 5_000_000n, balance: 'zero', lamports: 'fee' },
      options: { priorityFee: { kind: 'price', price: 7n } },
    },
  },
  'wraps nothing where nothing is missing, and unwraps': {
    transfer: { wraps: true, unwraps: true },
    world: { mint: { kind: 'native', tokenProgram: 'token_2022' }, options: { transactionVersion: 1 } },
  },
  'wraps for a sender whose fee another pays': {
    transfer: { wraps: true, unwraps: true },
    world: { ...sponsored({}), mint: native, senderTokenAccount: 'prefunded', lamports: 'one' },
  },
  'refuses to wrap more than the sender has, though what is unwrapped would be enough': {
    transfer: { wraps: true, unwraps: true },
    world: { mint: native, amount: 5_000_000n, balance: 'zero', lamports: 'fee_less_one' },
    codes: ['insufficient_sol'],
  },
  'refuses to unwrap for a delegate': {
    transfer: { unwraps: true },
    world: { mint: native, senderTokenAccount: 'delegate_of_another' },
    codes: ['sender_token_account_not_owned'],
  },
  'answers all that the splits leave, also of what was delegated': {
    transfer: { amountText: 'max', splits: [open, open] },
    world: { balance: 'exact', senderTokenAccount: 'delegate_of_another', amount: 12_345n },
  },
  'refuses all of nothing': {
    transfer: { amountText: 'max' },
    world: { balance: 'zero' },
    codes: ['insufficient_token_balance'],
  },
  'answers what must arrive of a mint that withholds more of it than is asked for': {
    transfer: { amountText: 'received_decimal', splits: [open] },
    world: { amount: 1_000n, mint: withholding(9_990) },
  },
  'answers what must arrive of a mint that withholds more from the next epoch on': {
    transfer: { amountText: 'received' },
    world: { amount: 1_010_102n, mint: withholding(100), balance: 'exact' },
  },
  'refuses what must arrive where the balance is enough for that, and not for what is withheld': {
    transfer: { amountText: 'received' },
    world: { amount: 1_010_102n, mint: withholding(100), balance: 'one_less' },
    codes: ['insufficient_token_balance'],
  },
  'refuses an amount with one digit more than the mint has decimals, though it is a zero': {
    transfer: { amountText: 'too_many_digits' },
    codes: ['amount_not_representable'],
  },
  'names with such an amount what is wrong with a split': {
    transfer: { amountText: 'too_large', splits: [split('frozen')] },
    codes: ['amount_not_representable', 'recipient_token_account_frozen'],
  },
  'answers the x402 layout with references, without a price and with a memo as long as it may be': {
    transfer: { ...x402, hasMemo: true },
    world: { ...sponsored({ references: [0, 'recipient'] }), memo: { text: '漢'.repeat(85), costly: true } },
  },
  'answers the x402 layout with a level, whose price is no more than a facilitator accepts': {
    transfer: x402,
    world: sponsored({ priorityFee: { kind: 'level', level: 'high', recentPrices: [10n ** 8n] } }),
  },
  'refuses in the x402 layout a mint with a hook, and a recipient that demands memos': {
    transfer: { ...x402, hasMemo: true },
    world: { ...sponsored({}), mint: hooked, recipientTokenAccount: 'memo_required' },
    codes: ['layout_not_possible', 'layout_not_possible'],
  },
  'refuses in the x402 layout a recipient without a token account': {
    transfer: x402,
    world: { ...sponsored({}), recipientTokenAccount: 'missing' },
    codes: ['recipient_token_account_not_found'],
  },
  'refuses a nonce and a sender who pays the fee in the x402 layout, though they land in another': {
    transfer: x402,
    world: { options: { nonceAccount: { state: 'of_sender', sentLate: false } } },
    codes: ['layout_conflict', 'layout_conflict'],
    lands: true,
  },
};

// The creations take of what a memo may cost at most, which is known only once the chain is read.
const costlyMemo = { text: '漢'.repeat(119), costly: true };

for (const rules of allRules) {
  describe(`asked for a transfer, under ${rules.name} the service`, () => {
    const court = openCourt(rules);

    for (const [index, [title, { world, transfer, ...expected }]] of Object.entries(cases).entries()) {
      it(title, () => {
        const asked: World = {
          ...plainWorld,
          ...world,
          number: 4_000 + index,
          operation: 'transfer',
          transfer: { ...plainTransfer, ...transfer },
        };
        return assertVerdict(judgeWorld(court, asked), expected);
      });
    }

    it('refuses a memo that costs too much next to the accounts that are created', () => {
      const splits = [missing, missing, missing, missing, missing];
      const asked: World = {
        ...plainWorld,
        number: 4_900,
        operation: 'transfer',
        memo: costlyMemo,
        transfer: { ...plainTransfer, hasMemo: true, splits },
      };
      const lands = !rules.classicMemoProgram;
      return assertVerdict(judgeWorld(court, asked), { codes: ['transaction_too_costly'], lands });
    });
  });
}
