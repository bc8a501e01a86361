import { address, lamports } from '@solana/kit';
import { getSysvarClockEncoder, getSysvarRentEncoder } from '@solana/sysvars';
import { Keypair } from '@solana/web3.js';
import * as classic from '@solana-program/token';
import * as token2022 from '@solana-program/token-2022';
import type { Account } from '../src/accounts/account.ts';
import { clockSysvar, rentSysvar } from '../src/accounts/sysvars.ts';
import { type Address, toAddress } from '../src/addresses/address.ts';
import { systemProgram, token2022Program, tokenProgram } from '../src/addresses/programs.ts';
import { type Decision, decideTransfer } from '../src/decide/decide-transfer.ts';
import type { Finding } from '../src/findings/finding.ts';
import { deriveTokenAccounts } from '../src/plan/transfer-facts.ts';
import type { TransferRequest } from '../src/request/transfer-request.ts';

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

/** A request for 1.5 tokens between fresh wallets, without a memo. */
export function requestOf(parts: Partial<BaseUnitRequest> = {}): BaseUnitRequest {
  const from = freshWallet();
  return {
    layout: 'default',
    createTokenAccount: 'never',
    from,
    to: freshWallet(),
    mint: freshWallet(),
    amount: 1_500_000n,
    splits: [],
    memo: undefined,
    feePayer: parts.from ?? from,
    version: 'legacy',
    priorityFee: undefined,
    nonceAccount: undefined,
    references: [],
    allowsOffCurveRecipient: false,
    checks: 'full',
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
  const pair = deriveTokenAccounts(request, program);
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
  return decideTransfer(request, {
    read,
    recentPrices: undefined,
    maxPriorityFee: 1_000_000n,
  });
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
