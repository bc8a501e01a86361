import { type Address, createNoopSigner } from '@solana/kit';
import {
  AuthorityType,
  ExtensionType,
  getApproveInstruction,
  getCloseAccountInstruction,
  getDisableMemoTransfersInstruction,
  getEnableCpiGuardInstruction,
  getEnableMemoTransfersInstruction,
  getFreezeAccountInstruction,
  getReallocateInstruction,
  getSetAuthorityInstruction,
} from '@solana-program/token-2022';
import type { Ledger } from '../../packages/sandbox/src/index.ts';
import type { Keypair } from '../../packages/sandbox/src/ledger/keypair.ts';
import { extensionsOf, writeTokenAccount } from './token-account-data.ts';
import type { TokenMint } from './token-mints.ts';
import { issuer, runSetup } from './token-setup-transaction.ts';

/** A wallet's associated token account on a ledger. */
export interface OwnedTokenAccount {
  ledger: Ledger;
  mint: TokenMint;
  owner: Keypair;
  address: Address;
}

/** Freezes it, as the issuer of the mint. */
export function freeze({ ledger, mint, address }: Omit<OwnedTokenAccount, 'owner'>): void {
  const freezing = { account: address, mint: mint.address, owner: issuer };
  runSetup(ledger, [getFreezeAccountInstruction(freezing, { programAddress: mint.tokenProgram })]);
}

/** Lets it demand a memo with every incoming transfer. Token-2022 only. */
export function requireMemo({ ledger, owner, address }: Omit<OwnedTokenAccount, 'mint'>): void {
  const signer = createNoopSigner(owner.address);
  const newExtensionTypes = [ExtensionType.MemoTransfer];
  runSetup(
    ledger,
    [
      getReallocateInstruction({ token: address, payer: issuer, owner: signer, newExtensionTypes }),
      getEnableMemoTransfersInstruction({ token: address, owner: signer }),
    ],
    [owner],
  );
}

/** Lets it demand memos, and then no longer: the extension stays, turned off. Token-2022 only. */
export function noLongerRequireMemo(account: OwnedTokenAccount): void {
  requireMemo(account);
  const { ledger, owner, address } = account;
  const disabling = { token: address, owner: createNoopSigner(owner.address) };
  runSetup(ledger, [getDisableMemoTransfersInstruction(disabling)], [owner]);
}

/** Guards it against what programs do in its owner's name. Token-2022 only. */
export function guardAgainstPrograms({ ledger, owner, address }: OwnedTokenAccount): void {
  const signer = createNoopSigner(owner.address);
  const newExtensionTypes = [ExtensionType.CpiGuard];
  runSetup(
    ledger,
    [
      getReallocateInstruction({ token: address, payer: issuer, owner: signer, newExtensionTypes }),
      getEnableCpiGuardInstruction({ token: address, owner: signer }),
    ],
    [owner],
  );
}

/** Lets a delegate send so many base units from it. */
export function approve(account: OwnedTokenAccount, delegate: Address, amount: bigint): void {
  approveAs(account, account.owner, delegate, amount);
}

function approveAs({ ledger, mint, address }: OwnedTokenAccount, owner: Keypair, delegate: Address, amount: bigint) {
  const approval = { source: address, delegate, owner: createNoopSigner(owner.address), amount };
  runSetup(ledger, [getApproveInstruction(approval, { programAddress: mint.tokenProgram })], [owner]);
}

/** Gives it to another owner. SPL Token only: Token-2022's associated accounts cannot change hands. */
export function giveAway({ ledger, mint, owner, address }: OwnedTokenAccount, newOwner: Keypair): void {
  const change = {
    owned: address,
    owner: createNoopSigner(owner.address),
    authorityType: AuthorityType.AccountOwner,
    newAuthority: newOwner.address,
  };
  runSetup(ledger, [getSetAuthorityInstruction(change, { programAddress: mint.tokenProgram })], [owner]);
}

/** Lets somebody else close it: of wrapped SOL that is to take all that it holds. */
export function letClose({ ledger, mint, owner, address }: OwnedTokenAccount, closer: Keypair): void {
  const change = {
    owned: address,
    owner: createNoopSigner(owner.address),
    authorityType: AuthorityType.CloseAccount,
    newAuthority: closer.address,
  };
  runSetup(ledger, [getSetAuthorityInstruction(change, { programAddress: mint.tokenProgram })], [owner]);
}

/** Gives it to another owner, who lets the old one send so many base units from it. SPL Token only. */
export function giveAwayAndBorrow(account: OwnedTokenAccount, newOwner: Keypair, amount: bigint): void {
  giveAway(account, newOwner);
  approveAs(account, newOwner, account.owner.address, amount);
}

/** Closes it; it must be empty, or hold wrapped SOL. */
export function close(account: OwnedTokenAccount): void {
  closeAs(account, account.owner, issuer.address);
}

/** Closes it as one who may, who gets its lamports. */
export function closeAs({ ledger, mint, address }: OwnedTokenAccount, closer: Keypair, destination: Address): void {
  const closing = { account: address, destination, owner: createNoopSigner(closer.address) };
  runSetup(ledger, [getCloseAccountInstruction(closing, { programAddress: mint.tokenProgram })], [closer]);
}

/**
 * Sets it up for confidential transfers, with or without public credits too. Token-2022 only.
 *
 * Written as the token program would have left it: the instruction itself takes a zero-knowledge proof.
 */
export function makeConfidential({ ledger, address }: OwnedTokenAccount, allowNonConfidentialCredits: boolean): void {
  writeTokenAccount(ledger, address, (token) => ({
    ...token,
    extensions: [
      ...extensionsOf(token),
      {
        __kind: 'ConfidentialTransferAccount',
        approved: true,
        elgamalPubkey: issuer.address,
        pendingBalanceLow: new Uint8Array(64),
        pendingBalanceHigh: new Uint8Array(64),
        availableBalance: new Uint8Array(64),
        decryptableAvailableBalance: new Uint8Array(36),
        allowConfidentialCredits: true,
        allowNonConfidentialCredits,
        pendingBalanceCreditCounter: 0n,
        maximumPendingBalanceCreditCounter: 65_536n,
        expectedPendingBalanceCreditCounter: 0n,
        actualPendingBalanceCreditCounter: 0n,
      },
    ],
  }));
}

/** Makes its owner the permanent delegate of the mint, who may send from every account. Token-2022 only. */
export function makePermanentDelegate({ ledger, mint, owner }: OwnedTokenAccount): void {
  const change = {
    owned: mint.address,
    owner: issuer,
    authorityType: AuthorityType.PermanentDelegate,
    newAuthority: owner.address,
  };
  runSetup(ledger, [getSetAuthorityInstruction(change)]);
}

/** Takes its ImmutableOwner away, which the first associated accounts of Token-2022 did not have. */
export function forgetImmutableOwner({ ledger, address }: OwnedTokenAccount): void {
  writeTokenAccount(ledger, address, (token) => {
    const others = extensionsOf(token).filter(({ __kind }) => __kind !== 'ImmutableOwner');
    return { ...token, extensions: others.length > 0 ? others : null };
  });
}
