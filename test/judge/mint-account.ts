import { some } from '@solana/kit';
import { AccountState, type ExtensionArgs, getMintEncoder, type TransferFeeArgs } from '@solana-program/token-2022';
import { issuer, mintAddressOf, senderOf, somebody } from './addresses.ts';
import { hookProgramOf } from './hook.ts';
import type { FeeWorld, MintExtension, World } from './world.ts';

// A type-length-value entry of a type that no token program of today knows, with a value of 5 bytes.
const unknownEntry = Uint8Array.of(99, 0, 5, 0, 1, 2, 3, 4, 5);
const mintEncoder = getMintEncoder();
const accountTypeOffset = 165;
const accountTypeMint = 1;
const multisigLength = 355;

/** Encodes the mint of a world as its token program would have written it. */
export function encodeMint(
  world: World,
  decimals: number,
  extensions: readonly MintExtension[],
  epoch: bigint,
  freezeAuthority = issuer,
): Uint8Array {
  const known = extensions.flatMap((extension) => toLibraryExtensions(world, extension, epoch));
  const encoded = mintEncoder.encode({
    mintAuthority: issuer,
    supply: 2n ** 64n - 1n,
    decimals,
    isInitialized: true,
    freezeAuthority,
    extensions: known.length > 0 ? known : null,
  });
  const hasUnknown = extensions.some(({ kind }) => kind === 'unknown_type');
  return avoidMultisigLength(
    hasUnknown ? appendEntry(Uint8Array.from(encoded), unknownEntry) : Uint8Array.from(encoded),
  );
}

function appendEntry(mint: Uint8Array, entry: Uint8Array): Uint8Array {
  const base = new Uint8Array(Math.max(mint.length, accountTypeOffset + 1));
  base.set(mint);
  base[accountTypeOffset] = accountTypeMint;
  return Uint8Array.from([...base, ...entry]);
}

// The token program makes a mint two bytes longer that would be as long as a multisig.
function avoidMultisigLength(mint: Uint8Array): Uint8Array {
  return mint.length === multisigLength ? Uint8Array.from([...mint, 0, 0]) : mint;
}

function toLibraryExtensions(world: World, extension: MintExtension, epoch: bigint): ExtensionArgs[] {
  const authority = some(issuer);
  const mint = mintAddressOf(world);
  switch (extension.kind) {
    case 'transfer_fee': {
      const newerEpoch = { before: epoch - 2n, from_now: epoch, later: epoch + 1n }[extension.newerCounts];
      return [
        {
          __kind: 'TransferFeeConfig',
          transferFeeConfigAuthority: issuer,
          withdrawWithheldAuthority: issuer,
          withheldAmount: 0n,
          olderTransferFee: toLibraryFee(extension.older, 0n),
          newerTransferFee: toLibraryFee(extension.newer, newerEpoch),
        },
      ];
    }
    case 'pausable':
      return [{ __kind: 'PausableConfig', authority, paused: extension.paused }];
    case 'default_account_state': {
      const state = extension.frozen ? AccountState.Frozen : AccountState.Initialized;
      return [{ __kind: 'DefaultAccountState', state }];
    }
    case 'permanent_delegate':
      return [
        {
          __kind: 'PermanentDelegate',
          delegate: extension.delegate === 'sender' ? senderOf(world) : somebody,
        },
      ];
    case 'transfer_hook':
      return [{ __kind: 'TransferHook', authority: issuer, programId: hookProgramOf(extension.hook) }];
    case 'non_transferable':
      return [{ __kind: 'NonTransferable' }];
    case 'mint_close_authority':
      return [{ __kind: 'MintCloseAuthority', closeAuthority: issuer }];
    case 'interest_bearing':
      return [
        {
          __kind: 'InterestBearingConfig',
          rateAuthority: issuer,
          initializationTimestamp: 1n,
          preUpdateAverageRate: 500,
          lastUpdateTimestamp: 2n,
          currentRate: -300,
        },
      ];
    case 'scaled_ui_amount':
      return [
        {
          __kind: 'ScaledUiAmountConfig',
          authority: issuer,
          multiplier: 2,
          newMultiplierEffectiveTimestamp: 1n,
          newMultiplier: 3,
        },
      ];
    case 'confidential_transfer':
      return [
        { __kind: 'ConfidentialTransferMint', authority, autoApproveNewAccounts: true, auditorElgamalPubkey: null },
      ];
    case 'confidential_transfer_fee':
      return [
        {
          __kind: 'ConfidentialTransferFee',
          authority,
          elgamalPubkey: issuer,
          harvestToMintEnabled: true,
          withheldAmount: new Uint8Array(64),
        },
      ];
    case 'metadata_pointer':
      return [{ __kind: 'MetadataPointer', authority, metadataAddress: some(mint) }];
    case 'metadata': {
      const additionalMetadata = new Map([['colour', 'green']]);
      const texts = { name: 'A token', symbol: 'TOK', uri: 'https://example.org/token.json' };
      return [{ __kind: 'TokenMetadata', updateAuthority: authority, mint, ...texts, additionalMetadata }];
    }
    case 'group_pointer':
      return [{ __kind: 'GroupPointer', authority, groupAddress: some(mint) }];
    case 'group':
      return [{ __kind: 'TokenGroup', updateAuthority: authority, mint, size: 0n, maxSize: 9n }];
    case 'group_member_pointer':
      return [{ __kind: 'GroupMemberPointer', authority, memberAddress: some(mint) }];
    case 'permissioned_burn':
      return [{ __kind: 'PermissionedBurn', authority }];
    case 'unknown_type':
      return [];
  }
}

function toLibraryFee(fee: FeeWorld, epoch: bigint): TransferFeeArgs {
  return { epoch, maximumFee: fee.maximumFee, transferFeeBasisPoints: fee.basisPoints };
}
