import type { TokenAccountCreation } from '../../packages/core/src/request/transfer-request.ts';
import type { MintExtension, RecipientTokenAccount, RecipientWallet, World } from './world.ts';

/** A payment of a world: that to the recipient, `to`, or that of a split, by its index. */
export type PaymentName = 'to' | number;

/** Somebody who is paid in a world. */
export interface Payee {
  name: PaymentName;
  /** From which the address follows, unless the wallet's kind gives it. */
  role: string;
  wallet: RecipientWallet;
  tokenAccount: RecipientTokenAccount;
  /** Base units. */
  amount: bigint;
  /** Whether a memo stands directly before the payment. */
  hasMemo: boolean;
  /** When the token account may be created. */
  creation: TokenAccountCreation;
  /** Whether the payment has the instruction that creates the token account. */
  creates: boolean;
}

// Kinds of wallets that are at one address in the whole world.
const uniqueWallets: readonly RecipientWallet[] = [
  'own_token_account',
  'the_mint',
  'program',
  'token_program',
  'system_program',
  'sysvar',
  'sender',
];

/** When a world's request asks for the creation of token accounts. */
export function askedCreationOf({ operation, transfer }: World): TokenAccountCreation {
  return transfer?.createTokenAccount ?? (operation === 'create_transfer' ? 'always' : 'never');
}

/**
 * When a world's transaction creates token accounts: in the x402 layout none is created because it is missing, and in the MPP layout
 * none that another than the sender would pay for.
 */
function creationOf(world: World): TokenAccountCreation {
  const asked = askedCreationOf(world);
  const { feePayer } = world.options;
  const isSponsoredMpp = isMpp(world) && feePayer !== undefined && feePayer.wallet !== 'sender';
  return (isX402(world) || isSponsoredMpp) && asked === 'if_missing' ? 'never' : asked;
}

/** Says whether a world's request asks for the x402 layout. */
export function isX402({ transfer }: World): boolean {
  return transfer?.layout === 'x402';
}

/** Says whether a world's request asks for the MPP layout. */
export function isMpp({ transfer }: World): boolean {
  return transfer?.layout === 'mpp';
}

/** Says whether a world's request has a memo. */
export function asksForMemo({ operation, transfer, options }: World): boolean {
  return transfer?.hasMemo ?? (operation !== 'create_transfer' || options.memoField !== undefined);
}

/** Says whether a world's amount, which is then a decimal number, has no base units in its mint. */
export function isUnrepresentable({ transfer, mint }: World): boolean {
  const { amountText } = transfer ?? {};
  return mint.kind !== 'oddity' && (amountText === 'too_many_digits' || amountText === 'too_large');
}

/** Base units that a world's mint withholds now of a payment. */
export function withheldOf({ mint }: World, amount: bigint): bigint {
  const fee = mint.kind === 'token_2022' ? mint.extensions.find((each) => each.kind === 'transfer_fee') : undefined;
  if (!fee) return 0n;
  const { basisPoints, maximumFee } = fee.newerCounts === 'later' ? fee.older : fee.newer;
  const share = (amount * BigInt(basisPoints) + 9_999n) / 10_000n;
  return share < maximumFee ? share : maximumFee;
}

/** The extensions of a mint. */
export function extensionsOf({ mint }: Pick<World, 'mint'>): readonly MintExtension[] {
  return mint.kind === 'token_2022' ? mint.extensions : [];
}

/** Says whether a mint calls a program on each transfer. */
export function callsHook(world: Pick<World, 'mint'>): boolean {
  return extensionsOf(world).some((each) => each.kind === 'transfer_hook' && each.hook !== 'none');
}

/** Base units that a world's sender sends in all. */
export function totalOf({ amount, transfer }: World): bigint {
  return (transfer?.splits ?? []).reduce((sum, split) => sum + split.amount, amount);
}

/** Says whether there is no token account in this state. */
export function isMissing(state: RecipientTokenAccount): boolean {
  return state === 'missing' || state === 'prefunded_less' || state === 'prefunded_more';
}

/**
 * Everyone who is paid in a world, in the order of the payments: those of the splits, then the recipient.
 *
 * Where two have the same address, both are what the recipient, or else the first of them, is.
 */
export function payeesOf(world: World): readonly Payee[] {
  const { recipientWallet: wallet, recipientTokenAccount: tokenAccount } = world;
  const known: { identity: string; role: string; wallet: RecipientWallet; tokenAccount: RecipientTokenAccount }[] = [];
  const recall = (role: string, drawn: { wallet: RecipientWallet; tokenAccount: RecipientTokenAccount }) => {
    const identity = uniqueWallets.includes(drawn.wallet) ? drawn.wallet : role;
    const found = known.find((each) => each.identity === identity) ?? { identity, role, ...drawn };
    known.push(found);
    return found;
  };
  const recipient = recall('recipient', { wallet, tokenAccount });
  const splits = (world.transfer?.splits ?? []).map(({ payee, amount }, index) => {
    const before = payee.kind === 'recipient' ? recipient : payee.kind === 'split' ? known[payee.index + 1] : undefined;
    if (before) known.push(before);
    const drawn = { wallet: 'funded', tokenAccount: 'open', ...payee } as const;
    const is = before ?? recall(payee.kind === 'fee_payer' ? 'fee payer' : `split ${index}`, drawn);
    return { ...is, name: index, amount, hasMemo: false };
  });
  // In the x402 layout the memo stands after the payment.
  const hasMemo = asksForMemo(world) && !isX402(world);
  const payees = [...splits, { ...recipient, name: 'to' as const, amount: world.amount, hasMemo }];
  const creation = creationOf(world);
  return payees.map(({ identity, ...payee }, index) => {
    const isFirst = payees.findIndex((each) => each.identity === identity) === index;
    // In the MPP layout only splits create.
    const isLeftOut = isMpp(world) && payee.name === 'to' && isFirst;
    const wanted = creation === 'always' || (creation === 'if_missing' && isMissing(payee.tokenAccount));
    return { ...payee, creation: isLeftOut ? 'never' : creation, creates: isFirst && wanted && !isLeftOut };
  });
}
