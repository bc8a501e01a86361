import type { ReadonlyUint8Array } from '@solana/kit';
import { extensionsIn } from '../../ledger/token-extension-data.ts';
import { ByteReader } from './byte-reader.ts';

/** A Token-2022 extension as a validator's JSON has it. */
export interface ParsedExtension {
  extension: string;
  state?: unknown;
}

interface ExtensionKind {
  name: string;
  /** Absent for an extension without contents. */
  read?: (reader: ByteReader) => unknown;
}

const accountStates = ['uninitialized', 'initialized', 'frozen'] as const;

/** Returns the name of a token account's state. */
export function accountStateName(state: number): string {
  return accountStates[state] ?? 'uninitialized';
}

const base64 = (reader: ByteReader, length: number): string => Buffer.from(reader.bytes(length)).toString('base64');
const publicKeyOrNull = (reader: ByteReader): string | null => {
  const bytes = reader.bytes(32);
  return bytes.every((byte) => byte === 0) ? null : Buffer.from(bytes).toString('base64');
};
const transferFee = (reader: ByteReader) => ({
  epoch: reader.u64(),
  maximumFee: reader.u64(),
  transferFeeBasisPoints: reader.u16(),
});

/** By their numbers in the account (`ExtensionType`). Members are in the order of the bytes, which is how they are read. */
const extensionKinds: readonly (ExtensionKind | undefined)[] = [
  { name: 'uninitialized' },
  {
    name: 'transferFeeConfig',
    read: (reader) => ({
      transferFeeConfigAuthority: reader.addressOrNull(),
      withdrawWithheldAuthority: reader.addressOrNull(),
      withheldAmount: reader.u64(),
      olderTransferFee: transferFee(reader),
      newerTransferFee: transferFee(reader),
    }),
  },
  { name: 'transferFeeAmount', read: (reader) => ({ withheldAmount: reader.u64() }) },
  { name: 'mintCloseAuthority', read: (reader) => ({ closeAuthority: reader.addressOrNull() }) },
  {
    name: 'confidentialTransferMint',
    read: (reader) => ({
      authority: reader.addressOrNull(),
      autoApproveNewAccounts: reader.flag(),
      auditorElgamalPubkey: publicKeyOrNull(reader),
    }),
  },
  {
    name: 'confidentialTransferAccount',
    read: (reader) => ({
      approved: reader.flag(),
      elgamalPubkey: base64(reader, 32),
      pendingBalanceLo: base64(reader, 64),
      pendingBalanceHi: base64(reader, 64),
      availableBalance: base64(reader, 64),
      decryptableAvailableBalance: base64(reader, 36),
      allowConfidentialCredits: reader.flag(),
      allowNonConfidentialCredits: reader.flag(),
      pendingBalanceCreditCounter: reader.u64(),
      maximumPendingBalanceCreditCounter: reader.u64(),
      expectedPendingBalanceCreditCounter: reader.u64(),
      actualPendingBalanceCreditCounter: reader.u64(),
    }),
  },
  { name: 'defaultAccountState', read: (reader) => ({ accountState: accountStateName(reader.u8()) }) },
  { name: 'immutableOwner' },
  { name: 'memoTransfer', read: (reader) => ({ requireIncomingTransferMemos: reader.flag() }) },
  { name: 'nonTransferable' },
  {
    name: 'interestBearingConfig',
    read: (reader) => ({
      rateAuthority: reader.addressOrNull(),
      initializationTimestamp: reader.i64(),
      preUpdateAverageRate: reader.i16(),
      lastUpdateTimestamp: reader.i64(),
      currentRate: reader.i16(),
    }),
  },
  { name: 'cpiGuard', read: (reader) => ({ lockCpi: reader.flag() }) },
  { name: 'permanentDelegate', read: (reader) => ({ delegate: reader.addressOrNull() }) },
  { name: 'nonTransferableAccount' },
  {
    name: 'transferHook',
    read: (reader) => ({ authority: reader.addressOrNull(), programId: reader.addressOrNull() }),
  },
  { name: 'transferHookAccount', read: (reader) => ({ transferring: reader.flag() }) },
  {
    name: 'confidentialTransferFeeConfig',
    read: (reader) => ({
      authority: reader.addressOrNull(),
      withdrawWithheldAuthorityElgamalPubkey: publicKeyOrNull(reader),
      harvestToMintEnabled: reader.flag(),
      withheldAmount: base64(reader, 64),
    }),
  },
  { name: 'confidentialTransferFeeAmount', read: (reader) => ({ withheldAmount: base64(reader, 64) }) },
  {
    name: 'metadataPointer',
    read: (reader) => ({ authority: reader.addressOrNull(), metadataAddress: reader.addressOrNull() }),
  },
  {
    name: 'tokenMetadata',
    read: (reader) => ({
      updateAuthority: reader.addressOrNull(),
      mint: reader.address(),
      name: reader.text(),
      symbol: reader.text(),
      uri: reader.text(),
      additionalMetadata: Array.from({ length: reader.u32() }, () => [reader.text(), reader.text()]),
    }),
  },
  {
    name: 'groupPointer',
    read: (reader) => ({ authority: reader.addressOrNull(), groupAddress: reader.addressOrNull() }),
  },
  {
    name: 'tokenGroup',
    read: (reader) => ({
      updateAuthority: reader.addressOrNull(),
      mint: reader.address(),
      size: reader.u64(),
      maxSize: reader.u64(),
    }),
  },
  {
    name: 'groupMemberPointer',
    read: (reader) => ({ authority: reader.addressOrNull(), memberAddress: reader.addressOrNull() }),
  },
  {
    name: 'tokenGroupMember',
    read: (reader) => ({ mint: reader.address(), group: reader.address(), memberNumber: reader.u64() }),
  },
  {
    name: 'confidentialMintBurn',
    read: (reader) => ({
      confidentialSupply: base64(reader, 64),
      decryptableSupply: base64(reader, 36),
      supplyElgamalPubkey: base64(reader, 32),
      pendingBurn: base64(reader, 64),
    }),
  },
  {
    name: 'scaledUiAmountConfig',
    read: (reader) => ({
      authority: reader.addressOrNull(),
      multiplier: String(reader.f64()),
      newMultiplierEffectiveTimestamp: reader.i64(),
      newMultiplier: String(reader.f64()),
    }),
  },
  {
    name: 'pausableConfig',
    read: (reader) => ({ authority: reader.addressOrNull(), paused: reader.flag() }),
  },
  { name: 'pausableAccount' },
];

/** Returns the name of an extension by its number. */
export function extensionName(type: number): string {
  return extensionKinds[type]?.name ?? 'unparseableExtension';
}

function parseExtension(type: number, contents: ReadonlyUint8Array): ParsedExtension {
  const kind = extensionKinds[type];
  if (kind === undefined) return { extension: 'unparseableExtension' };
  if (kind.read === undefined) return { extension: kind.name };
  try {
    return { extension: kind.name, state: kind.read(new ByteReader(contents)) };
  } catch {
    return { extension: 'unparseableExtension' };
  }
}

/** Reads the extensions of a Token-2022 mint or token account, in their order; one that cannot be read is `unparseableExtension`. */
export function parseExtensions(data: ReadonlyUint8Array): ParsedExtension[] {
  return [...extensionsIn(data)].map(([type, contents]) => parseExtension(type, contents));
}
