import { drawWorld } from '../draw-world.ts';
import { freshReferences, type OptionsWorld } from '../options-world.ts';
import type { Random } from '../random.ts';
import type { TransferWorld } from '../transfer-world.ts';
import type { RecipientTokenAccount, World } from '../world.ts';

// Small enough for the sender to pay dozens of times.
const maxAmount = 2n ** 34n;

/** How many draws a world has until the service builds one. */
export const maxAttempts = 64;

/**
 * Draws a transfer that the service most likely builds: a world of the judge's without what is odd about its wallets, balances
 * and token accounts. The mints, memos, splits, layouts and options are the judge's.
 */
export function drawPayableWorld(seed: number, number: number, attempt: number, random: Random): World {
  const drawn = drawWorld(seed, number * maxAttempts + attempt);
  const { transfer } = drawn;
  const world: World = {
    ...drawn,
    mint: drawn.mint.kind === 'oddity' ? { kind: 'classic', decimals: 6 } : drawn.mint,
    amount: payableAmount(drawn.amount),
    memo: { text: random.pick(['', 'order 7 ', '漢 ']) + [...drawn.memo.text].slice(0, 40).join(''), costly: true },
    senderWallet: 'system',
    lamports: 'plenty',
    senderTokenAccount: 'open',
    balance: 'plenty',
    recipientWallet: drawn.recipientWallet === 'unfunded' ? 'unfunded' : 'funded',
    recipientTokenAccount: payableState(drawn),
    options: drawPayableOptions(random, drawn.options),
  };
  if (transfer) world.transfer = payableTransfer(transfer);
  return world;
}

function payableAmount(amount: bigint): bigint {
  return 1n + (amount % maxAmount);
}

function payableState({ operation, transfer, recipientTokenAccount: drawn }: World): RecipientTokenAccount {
  if (drawn === 'missing') return operation === 'create_transfer' || transfer ? 'missing' : 'open';
  return drawn === 'memo_required' ? drawn : 'open';
}

function payableTransfer(transfer: TransferWorld): TransferWorld {
  const { amountText } = transfer;
  return {
    ...transfer,
    createTokenAccount: transfer.createTokenAccount === 'never' ? 'if_missing' : transfer.createTokenAccount,
    amountText: amountText === 'too_large' || amountText === 'too_many_digits' ? 'base_units' : amountText,
    splits: transfer.splits.map((split) => {
      const { payee } = split;
      const amount = payableAmount(split.amount);
      if (payee.kind === 'other') return { amount, payee: { ...payee, wallet: 'funded', tokenAccount: 'open' } };
      return payee.kind === 'fee_payer' ? { amount, payee: { ...payee, tokenAccount: 'open' } } : { amount, payee };
    }),
  };
}

function drawPayableOptions(random: Random, asked: OptionsWorld): OptionsWorld {
  const { feePayer, priorityFee, nonceAccount: _, references: __, ...others } = asked;
  const options: OptionsWorld = { ...others, checks: 'full' };
  if (feePayer || random.chance(0.15)) options.feePayer = { wallet: 'wallet', lamports: 'plenty' };
  if (priorityFee?.kind === 'level' || priorityFee?.kind === 'none') options.priorityFee = priorityFee;
  if (priorityFee?.kind === 'price') options.priorityFee = { kind: 'price', price: random.pick([0n, 1n, 50_000n]) };
  if (random.chance(0.2)) {
    const state = options.feePayer && random.chance(0.5) ? 'of_fee_payer' : 'of_sender';
    options.nonceAccount = { state, sentLate: false };
  }
  if (random.chance(0.3)) {
    const known = random.pick(['recipient', 'recipient_token_account', 'sender'] as const);
    options.references = [
      ...(random.chance(0.2) ? [known] : []),
      ...freshReferences.slice(0, random.pick([1, 1, 1, 2, 3])),
    ];
  }
  return options;
}
