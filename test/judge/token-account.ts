import { type Address, type EncodedAccount, lamports } from '@solana/kit';
import {
  AccountState,
  type ExtensionArgs,
  getTokenEncoder,
  getTokenSize,
  TOKEN_2022_PROGRAM_ADDRESS,
} from '@solana-program/token-2022';
import type { Ledger } from '../../packages/sandbox/src/index.ts';
import { somebody, systemProgram } from './addresses.ts';
import type { MintWorld } from './world.ts';

const tokenEncoder = getTokenEncoder();

/** What is written into a token account; the rest follows from its mint. */
export interface TokenAccountFields {
  address: Address;
  tokenProgram: Address;
  mintWorld: MintWorld;
  mint: Address;
  owner: Address;
  /** Base units. */
  amount: bigint;
  frozen?: boolean;
  delegate?: { address: Address; amount: bigint };
  /** In addition to those that the mint demands. */
  extensions?: readonly ExtensionArgs[];
}

/** The states that the token accounts of a sender and of a recipient can both have, as changes to an open one. */
export const commonStates = {
  open: {},
  frozen: { frozen: true },
  owner_changed: { owner: somebody },
  cpi_guard: { extensions: [{ __kind: 'CpiGuard', lockCpi: true }] },
  memo_required: { extensions: [{ __kind: 'MemoTransfer', requireIncomingTransferMemos: true }] },
} as const satisfies Record<string, Partial<TokenAccountFields>>;

/** Writes a token account as its program would have. */
export function writeTokenAccount(ledger: Ledger, fields: TokenAccountFields): void {
  const extensions = [...demandedExtensions(fields.mintWorld, fields.tokenProgram), ...(fields.extensions ?? [])];
  const reserve = rentOf(ledger, BigInt(getTokenSize(extensions.length > 0 ? extensions : undefined)));
  const isNative = fields.mintWorld.kind === 'native';
  const data = tokenEncoder.encode({
    mint: fields.mint,
    owner: fields.owner,
    amount: fields.amount,
    delegate: fields.delegate?.address ?? null,
    state: fields.frozen ? AccountState.Frozen : AccountState.Initialized,
    isNative: isNative ? reserve : null,
    delegatedAmount: fields.delegate?.amount ?? 0n,
    closeAuthority: null,
    extensions: extensions.length > 0 ? extensions : null,
  });
  const balance = isNative ? reserve + fields.amount : reserve;
  ledger.setAccount(account(fields.address, fields.tokenProgram, balance, Uint8Array.from(data)));
}

/** What the creation of an associated token account of a mint costs, in lamports. */
export function creationRentOf(ledger: Ledger, mintWorld: MintWorld, tokenProgram: Address): bigint {
  const extensions = demandedExtensions(mintWorld, tokenProgram);
  return rentOf(ledger, BigInt(getTokenSize(extensions.length > 0 ? extensions : undefined)));
}

/** An account as the ledger takes it. */
export function account(
  address: Address,
  owner: Address,
  balance: bigint,
  data: Uint8Array = new Uint8Array(),
): EncodedAccount {
  return {
    address,
    programAddress: owner,
    lamports: lamports(balance),
    data,
    space: BigInt(data.length),
    executable: false,
  };
}

/** Makes an address one without an account. */
export function clearAccount(ledger: Ledger, address: Address): void {
  if (ledger.getAccount(address)) ledger.setAccount(account(address, systemProgram, 0n));
}

function rentOf(ledger: Ledger, bytes: bigint): bigint {
  return ledger.minimumBalanceForRentExemption(bytes);
}

/** The extensions that every associated account of a mint has: one of its own, and those that the mint's demand. */
function demandedExtensions(mintWorld: MintWorld, tokenProgram: Address): ExtensionArgs[] {
  if (tokenProgram !== TOKEN_2022_PROGRAM_ADDRESS) return [];
  const demanded: ExtensionArgs[] = [{ __kind: 'ImmutableOwner' }];
  if (mintWorld.kind !== 'token_2022') return demanded;
  for (const { kind } of mintWorld.extensions) {
    if (kind === 'transfer_fee') demanded.push({ __kind: 'TransferFeeAmount', withheldAmount: 0n });
    if (kind === 'non_transferable') demanded.push({ __kind: 'NonTransferableAccount' });
    if (kind === 'transfer_hook') demanded.push({ __kind: 'TransferHookAccount', transferring: false });
    if (kind === 'pausable') demanded.push({ __kind: 'PausableAccount' });
  }
  return demanded;
}
