import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { address, lamports } from '@solana/kit';
import { getSysvarClockEncoder, getSysvarRentEncoder } from '@solana/sysvars';
import { Keypair } from '@solana/web3.js';
import * as classic from '@solana-program/token';
import * as token2022 from '@solana-program/token-2022';
import type { Account } from '../src/accounts/account.ts';
import type { NonceAdvance } from '../src/accounts/nonce-account.ts';
import { clockSysvar, rentSysvar } from '../src/accounts/sysvars.ts';
import { decodeMint, decodeTokenAccount, type TokenAccount } from '../src/accounts/token-state.ts';
import { type Address, addressFromBytes, sol, toAddress } from '../src/addresses/address.ts';
import { findAssociatedTokenAddress } from '../src/addresses/derived-addresses.ts';
import { systemProgram, token2022Program, tokenProgram } from '../src/addresses/programs.ts';
import { type DecidedTransfer, type Decision, decideTransfer } from '../src/decide/decide-transfer.ts';
import type { Finding } from '../src/findings/finding.ts';
import { type AssociatedAccount, deriveTokenAccounts, type ReadPayment, walletOf } from '../src/plan/transfer-facts.ts';
import type { Payment, TransferPlan } from '../src/plan/transfer-plan.ts';
import { type Memo, parseMemo } from '../src/request/memo.ts';
import type { TransferRequest } from '../src/request/transfer-request.ts';
import { encodeTransaction } from '../src/transaction/encode-transaction.ts';
import type { Instruction } from '../src/transaction/instruction.ts';

/** The address of a fresh key pair. */
export function freshWallet(): Address {
  return toAddress(Keypair.generate().publicKey.toBase58());
}

/** An account that holds 1 SOL. */
export function accountOf(owner: Address, data: ArrayLike<number> = [], executable = false): Account {
  return { owner, lamports: 1_000_000_000n, data: Uint8Array.from(data), executable };
}

/** A plain wallet with so many lamports. */
export function walletAccount(balance: bigint): Account {
  return { ...accountOf(systemProgram), lamports: balance };
}

const noKey = address(systemProgram);

/** A mint of 6 decimals; with extensions it is one of Token-2022. */
export function mintAccount(
  parts: Partial<token2022.MintArgs> = {},
  program: Address = parts.extensions ? token2022Program : tokenProgram,
): Account {
  const base = { mintAuthority: noKey, supply: 10n ** 12n, decimals: 6, isInitialized: true, freezeAuthority: null };
  const encoder = program === tokenProgram ? classic.getMintEncoder() : token2022.getMintEncoder();
  return accountOf(program, encoder.encode({ ...base, extensions: null, ...parts }));
}

/** What a plain mint is read as. */
export const plainMint = decodeMint(mintAccount()) ?? assert.fail('it is a mint');

/** A mint that withholds fees, in basis points: the newer one, where it is another, from its epoch on. */
export function feeMint(older: number, newer = older, { epoch = 702n, maximumFee = 2n ** 64n - 1n } = {}): Account {
  const config = token2022.extension('TransferFeeConfig', {
    transferFeeConfigAuthority: noKey,
    withdrawWithheldAuthority: noKey,
    withheldAmount: 0n,
    olderTransferFee: { epoch: 0n, maximumFee, transferFeeBasisPoints: older },
    newerTransferFee: { epoch: older === newer ? 0n : epoch, maximumFee, transferFeeBasisPoints: newer },
  });
  return mintAccount({ extensions: [config] });
}

/** The parts of a token account that takes no transfer without a memo. */
export const demandingMemos = {
  extensions: [token2022.extension('MemoTransfer', { requireIncomingTransferMemos: true })],
};

/** A token account; with extensions it is one of Token-2022. */
export function tokenAccount(
  mint: Address,
  owner: Address,
  parts: Partial<token2022.TokenArgs> = {},
  program: Address = parts.extensions ? token2022Program : tokenProgram,
): Account {
  const encoder = program === tokenProgram ? classic.getTokenEncoder() : token2022.getTokenEncoder();
  const base = {
    mint: address(mint),
    owner: address(owner),
    amount: 5_000_000n,
    delegate: null,
    state: token2022.AccountState.Initialized,
    isNative: null,
    delegatedAmount: 0n,
    closeAuthority: null,
    extensions: null,
  };
  return accountOf(program, encoder.encode({ ...base, ...parts }));
}

/** Accounts that stand where a wallet's token account of a mint of SPL Token should be, and are none. */
export function strangeTokenAccounts(mint: Address, owner: Address): readonly Account[] {
  const own = tokenAccount(mint, owner);
  const unknownStates = Array.from({ length: 253 }, (_, index) => index + 3);
  return [
    ...[0, ...unknownStates].map((state) => ({ ...own, data: own.data.with(108, state) })),
    accountOf(tokenProgram, new Uint8Array(165)),
    tokenAccount(freshWallet(), owner),
    tokenAccount(mint, owner, {}, token2022Program),
    { ...own, data: own.data.subarray(0, 164) },
    { ...own, owner: freshWallet() },
    mintAccount(),
    multisigAccount(tokenProgram),
    accountOf(systemProgram, own.data),
  ];
}

/** An SPL multisig of one. */
export function multisigAccount(program: Address): Account {
  const signers = Array.from({ length: 11 }, () => noKey);
  return accountOf(program, classic.getMultisigEncoder().encode({ m: 1, n: 1, isInitialized: true, signers }));
}

/** A request whose amount is given in base units. */
export type BaseUnitRequest = TransferRequest & { amount: bigint };

/** The options of a request that names none, but for the fee payer. */
export const plainRequestOptions = {
  layout: 'default',
  createTokenAccount: 'never',
  version: 'legacy',
  priorityFee: undefined,
  nonceAccount: undefined,
  references: [],
  allowsOffCurveRecipient: false,
  checks: 'full',
} as const;

/** A request for 1.5 tokens between fresh wallets, without a memo. */
export function requestOf(parts: Partial<BaseUnitRequest> = {}): BaseUnitRequest {
  const from = freshWallet();
  return {
    ...plainRequestOptions,
    from,
    to: freshWallet(),
    mint: freshWallet(),
    amount: 1_500_000n,
    splits: [],
    memo: undefined,
    feePayer: parts.from ?? from,
    ...parts,
  };
}

/** What the chain holds where a request looks. What is left out is as it must be for the transfer to land. */
export interface Scene {
  mint?: Account | null;
  sender?: Account | null;
  recipient?: Account | null;
  senderTokenAccount?: Account | null;
  recipientTokenAccount?: Account | null;
  /** Anything else that was read. */
  others?: readonly (readonly [Address, Account | null])[];
  /** What was not read. */
  unread?: readonly Address[];
}

/** The rent-exempt minimum of an account without data, under the rent of a scene. */
export const emptyAccountRent = 890_880n;

const rent = getSysvarRentEncoder().encode({
  lamportsPerByteYear: lamports(3480n),
  exemptionThreshold: 2,
  burnPercent: 50,
});
const clock = getSysvarClockEncoder().encode({
  slot: 1n,
  epochStartTimestamp: 0n,
  epoch: 700n,
  leaderScheduleEpoch: 701n,
  unixTimestamp: 0n,
} as never);

/** The sysvars of a scene. */
export const rentAccount = accountOf(systemProgram, rent);
export const clockAccount = accountOf(systemProgram, clock);

/** Decides a request in a scene. */
export function decideIn(request: TransferRequest, scene: Scene = {}): Decision {
  const mint = scene.mint === undefined ? mintAccount() : scene.mint;
  const program = mint?.owner === token2022Program ? token2022Program : tokenProgram;
  const pair = tokenAccountsOf(request, program);
  const standing = (account: Account | null | undefined, usual: Account): Account | null =>
    account === undefined ? usual : account;
  const read = new Map<Address, Account | null>([
    [rentSysvar, rentAccount],
    [clockSysvar, clockAccount],
    [request.mint, mint],
    [request.from, standing(scene.sender, walletAccount(1_000_000_000n))],
    [request.to, standing(scene.recipient, walletAccount(1_000_000_000n))],
    [pair.sender, standing(scene.senderTokenAccount, tokenAccount(request.mint, request.from, {}, program))],
    [pair.recipient, standing(scene.recipientTokenAccount, tokenAccount(request.mint, request.to, {}, program))],
  ]);
  for (const [index, { to }] of request.splits.entries()) {
    const tokenAccountAddress = pair.splits[index]?.address;
    if (tokenAccountAddress === undefined || read.has(tokenAccountAddress)) continue;
    read.set(to, walletAccount(1_000_000_000n));
    read.set(tokenAccountAddress, tokenAccount(request.mint, to, {}, program));
  }
  for (const [address, account] of scene.others ?? []) read.set(address, account);
  for (const address of scene.unread ?? []) read.delete(address);
  return decideTransfer(request, { read, recentPrices: undefined, maxPriorityFee: 1_000_000n });
}

/** Decides a request that lands in a scene. Throws when it is refused, or when more must be read. */
export function decidedIn(request: TransferRequest, scene: Scene = {}): DecidedTransfer {
  const decision = decideIn(request, scene);
  if ('plan' in decision) return decision;
  throw new Error(inspect(decision, { depth: null }));
}

/** The codes of findings or warnings. */
export function codesOf(all: readonly { code: string }[]): string[] {
  return all.map(({ code }) => code);
}

/** The codes and fields of what was found; none where there is a plan. Throws when more must be read. */
export function foundIn(request: TransferRequest, scene: Scene = {}): string[] {
  const decision = decideIn(request, scene);
  if ('needs' in decision) throw new Error(`needs ${decision.needs.join()}`);
  if ('needsPricesFor' in decision) throw new Error('needs prices');
  return 'plan' in decision
    ? []
    : decision.findings.map(
        ({ code, field }) => `${code} ${typeof field === 'object' ? Object.values(field).join('.') : field}`,
      );
}

/** The context of the one finding. Throws when there is none, or another one. */
export function contextIn(request: TransferRequest, scene: Scene): Finding['context'] {
  const decision = decideIn(request, scene);
  const [finding, ...others] = 'findings' in decision ? decision.findings : [];
  if (!finding || others.length > 0) throw new Error('one finding is expected');
  return finding.context;
}

/** The inputs of a request without a fault and without a memo: 1.5 tokens between fresh wallets. */
export const goodInputs = {
  createTokenAccount: 'never' as const,
  from: freshWallet(),
  to: freshWallet(),
  mint: freshWallet(),
  amount: '1500000',
};

/** A token account of an owner, in which nothing is special. */
export function plainState(owner: Address): TokenAccount {
  return {
    tokenProgram,
    owner,
    amount: 0n,
    isFrozen: false,
    delegate: undefined,
    closeAuthority: undefined,
    isNative: false,
    requiresMemo: false,
    refusesPublicCredits: false,
  };
}

/** An associated token address at which there is nothing, as far as the parts say nothing else. */
export function associatedAccount(parts: Partial<AssociatedAccount> = {}): AssociatedAccount {
  return { address: freshAddress(), bump: 254, state: undefined, occupant: undefined, lamports: 0n, ...parts };
}

/** The account at the associated token address of a wallet, read as one of the mint. */
export function associatedAccountWith(mint: Address, account: Account | null): AssociatedAccount {
  const expected = account && { mint, tokenProgram: account.owner, likelyOwner: mint };
  return associatedAccount({ state: account && expected ? decodeTokenAccount(account, expected) : undefined });
}

/** A payment to a wallet that has no token account, as far as the parts say nothing else. */
export function readPaymentWith(parts: Partial<ReadPayment> = {}): ReadPayment {
  return {
    to: freshAddress(),
    amount: 1n,
    field: 'to',
    memo: undefined,
    references: [],
    wallet: walletOf(walletAccount(1n)),
    tokenAccount: associatedAccount(),
    hookFault: undefined,
    hookAccounts: [],
    ...parts,
  };
}

/** The memo of a text. Throws when the text cannot be one. */
export function memoOf(text: string): Memo {
  const parsed = parseMemo(text);
  if ('fault' in parsed) throw new Error(`not a memo: ${JSON.stringify(text)}`);
  return parsed.memo;
}

/** An address that nothing else has. */
export function freshAddress(): Address {
  return addressFromBytes(randomBytes(32));
}

/** A payment in the transaction of a plan. */
export function paymentOf(
  { mint, tokenProgram: program }: Pick<TransferPlan, 'mint' | 'tokenProgram'>,
  parts: Pick<Payment, 'recipient' | 'amount'> & Partial<Payment>,
): Payment {
  const account = findAssociatedTokenAddress({ owner: parts.recipient, mint, tokenProgram: program });
  return {
    memo: undefined,
    references: [],
    recipientTokenAccount: account.address,
    recipientTokenAccountBump: account.bump,
    recipientTokenAccountExists: false,
    createsRecipientTokenAccount: false,
    transferFee: 0n,
    rent: 0n,
    hookAccounts: [],
    ...parts,
  };
}

/** Parts of a plan, and of the payment to its recipient. */
export interface PlanParts extends Partial<Omit<TransferPlan, 'payments'>>, Partial<Payment> {
  /** The payments before that one. */
  splits?: readonly Payment[];
}

/** A transfer of 1.5 tokens between fresh addresses, without any optional part but those given. */
export function planWith(parts: PlanParts): TransferPlan {
  const [sender, mint] = [parts.sender ?? freshAddress(), parts.mint ?? freshAddress()];
  const program = parts.tokenProgram ?? tokenProgram;
  const own = findAssociatedTokenAddress({ owner: sender, mint, tokenProgram: program });
  const recipient = parts.recipient ?? freshAddress();
  const plan: TransferPlan = {
    layout: 'default',
    version: 'legacy',
    feePayer: sender,
    sender,
    mint,
    tokenProgram: program,
    extensionCount: 0,
    decimals: 6,
    senderTokenAccount: own.address,
    senderTokenAccountBump: own.bump,
    payments: [paymentOf({ mint, tokenProgram: program }, { recipient, amount: 1_500_000n })],
    computeUnitLimit: undefined,
    computeUnitPrice: 0n,
    nonce: undefined,
    networkFee: 5000n,
    priorityFee: 0n,
  };
  return changed(plan, parts);
}

/** A transfer of SOL between fresh wallets, with those parts. */
export function solPlanWith(parts: PlanParts): TransferPlan {
  const plan = planWith({ tokenProgram: systemProgram, decimals: 9, ...parts });
  const payments = plan.payments.map((payment) => ({ ...payment, recipientTokenAccount: payment.recipient }));
  return { ...plan, mint: sol, senderTokenAccount: plan.sender, payments };
}

const paymentParts: ReadonlySet<string> = new Set([
  'recipient',
  'recipientTokenAccount',
  'recipientTokenAccountBump',
  'recipientTokenAccountExists',
  'createsRecipientTokenAccount',
  'amount',
  'transferFee',
  'rent',
  'memo',
  'references',
  'hookAccounts',
  'thaw',
] satisfies (keyof Payment)[]);

/** A plan with other parts, or with other parts of the payment to its recipient. */
export function changed(plan: TransferPlan, { splits = splitsOf(plan), ...parts }: PlanParts): TransferPlan {
  const of = (isPayment: boolean) => Object.entries(parts).filter(([name]) => paymentParts.has(name) === isPayment);
  const payment = { ...recipientOf(plan), ...Object.fromEntries(of(true)) };
  return { ...plan, ...Object.fromEntries(of(false)), payments: [...splits, payment] };
}

/** The last payment of a plan. */
export function recipientOf({ payments }: Pick<TransferPlan, 'payments'>): Payment {
  return payments.at(-1) ?? assert.fail('a plan has a payment');
}

/** The payments of a plan before the last. */
export function splitsOf({ payments }: Pick<TransferPlan, 'payments'>): readonly Payment[] {
  return payments.slice(0, -1);
}

/** Puts the token accounts of its wallets into a plan. */
export function withTokenAccounts(plan: TransferPlan): TransferPlan {
  const { sender, mint, tokenProgram: program } = plan;
  const own = findAssociatedTokenAddress({ owner: sender, mint, tokenProgram: program });
  const payments = plan.payments.map((payment) => {
    const { address, bump } = findAssociatedTokenAddress({ owner: payment.recipient, mint, tokenProgram: program });
    return { ...payment, recipientTokenAccount: address, recipientTokenAccountBump: bump };
  });
  return { ...plan, senderTokenAccount: own.address, senderTokenAccountBump: own.bump, payments };
}

/** The token accounts of the wallets of a single transfer under one token program. */
export function tokenAccountsOf(request: TransferRequest, program: Address) {
  const { sender, recipients } = deriveTokenAccounts(request, program);
  const [recipient = assert.fail('a transfer has a recipient'), ...splits] = recipients;
  return {
    sender: sender.address,
    senderBump: sender.bump,
    recipient: recipient.address,
    recipientBump: recipient.bump,
    splits,
  };
}

/** Encodes a legacy transaction of these instructions. */
export function legacyTransaction(
  feePayer: Address,
  instructions: readonly Instruction[],
  lifetimeToken: string,
): Uint8Array {
  return encodeTransaction({ version: 'legacy', feePayer, instructions, lifetimeToken, config: undefined });
}

/** A nonce account that the authority advances, at fresh addresses. */
export function nonceOf(authority: NonceAdvance['authority']): NonceAdvance {
  return { account: freshAddress(), authority, nonce: freshAddress() };
}
