import { type EncodedAccount, getBase58Decoder } from '@solana/kit';
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';
import { ByteReader, BytesEndError } from './byte-reader.ts';
import type { ParsedData } from './parsed-data.ts';

const nonceAccountBytes = 80;
const sysvarOwner = 'Sysvar1111111111111111111111111111111111111';
const lookupTableProgram = 'AddressLookupTab1e1111111111111111111111111';
const upgradeableLoader = 'BPFLoaderUpgradeab1e11111111111111111111111';

const hash = (reader: ByteReader): string => getBase58Decoder().decode(reader.bytes(32));

function parseNonceAccount({ data }: EncodedAccount): ParsedData | undefined {
  if (data.length !== nonceAccountBytes) return undefined;
  const reader = new ByteReader(data);
  if (reader.u32() > 1) return undefined;
  if (reader.u32() !== 1) return { program: 'nonce', parsed: { type: 'uninitialized' } };
  const authority = reader.address();
  const blockhash = hash(reader);
  const feeCalculator = { lamportsPerSignature: reader.u64().toString() };
  return { program: 'nonce', parsed: { type: 'initialized', info: { authority, blockhash, feeCalculator } } };
}

/** Readers of sysvars by their addresses. */
const sysvars: Readonly<Record<string, (reader: ByteReader) => ParsedData['parsed']>> = {
  SysvarC1ock11111111111111111111111111111111: (reader) => {
    const slot = reader.u64();
    const epochStartTimestamp = reader.i64();
    const epoch = reader.u64();
    const leaderScheduleEpoch = reader.u64();
    const unixTimestamp = reader.i64();
    return { type: 'clock', info: { slot, epoch, epochStartTimestamp, leaderScheduleEpoch, unixTimestamp } };
  },
  SysvarRent111111111111111111111111111111111: (reader) => ({
    type: 'rent',
    info: {
      lamportsPerByteYear: reader.u64().toString(),
      exemptionThreshold: reader.f64(),
      burnPercent: reader.u8(),
    },
  }),
  SysvarEpochSchedu1e111111111111111111111111: (reader) => ({
    type: 'epochSchedule',
    info: {
      slotsPerEpoch: reader.u64(),
      leaderScheduleSlotOffset: reader.u64(),
      warmup: reader.flag(),
      firstNormalEpoch: reader.u64(),
      firstNormalSlot: reader.u64(),
    },
  }),
  SysvarRecentB1ockHashes11111111111111111111: (reader) => ({
    type: 'recentBlockhashes',
    info: Array.from({ length: Number(reader.u64()) }, () => ({
      blockhash: hash(reader),
      feeCalculator: { lamportsPerSignature: reader.u64().toString() },
    })),
  }),
  SysvarS1otHashes111111111111111111111111111: (reader) => ({
    type: 'slotHashes',
    info: Array.from({ length: Number(reader.u64()) }, () => ({ slot: reader.u64(), hash: hash(reader) })),
  }),
  SysvarStakeHistory1111111111111111111111111: (reader) => ({
    type: 'stakeHistory',
    info: Array.from({ length: Number(reader.u64()) }, () => ({
      epoch: reader.u64(),
      stakeHistory: { effective: reader.u64(), activating: reader.u64(), deactivating: reader.u64() },
    })),
  }),
  SysvarLastRestartS1ot1111111111111111111111: (reader) => ({
    type: 'lastRestartSlot',
    info: { lastRestartSlot: reader.u64() },
  }),
};

function parseLookupTable({ data }: EncodedAccount): ParsedData | undefined {
  const reader = new ByteReader(data);
  const program = 'address-lookup-table';
  const kind = reader.u32();
  if (kind === 0) return { program, parsed: { type: 'uninitialized' } };
  if (kind !== 1) return undefined;
  const deactivationSlot = reader.u64();
  const lastExtendedSlot = reader.u64();
  const lastExtendedSlotStartIndex = reader.u8();
  const authority = reader.fixedOption(1, () => reader.address());
  reader.u16();
  const info = {
    deactivationSlot: deactivationSlot.toString(),
    lastExtendedSlot: lastExtendedSlot.toString(),
    lastExtendedSlotStartIndex,
    ...(authority !== null && { authority }),
    addresses: Array.from({ length: Math.floor(reader.left / 32) }, () => reader.address()),
  };
  return { program, parsed: { type: 'lookupTable', info } };
}

function parseUpgradeable({ data }: EncodedAccount): ParsedData | undefined {
  const reader = new ByteReader(data);
  const program = 'bpf-upgradeable-loader';
  const kind = reader.u32();
  if (kind === 0) return { program, parsed: { type: 'uninitialized' } };
  if (kind === 2) return { program, parsed: { type: 'program', info: { programData: reader.address() } } };
  if (kind !== 1 && kind !== 3) return undefined;
  const slot = kind === 3 ? { slot: reader.u64() } : {};
  const authority = reader.fixedOption(1, () => reader.address());
  const code = [Buffer.from(reader.rest()).toString('base64'), 'base64'];
  return { program, parsed: { type: kind === 3 ? 'programData' : 'buffer', info: { ...slot, authority, data: code } } };
}

/** Reads a nonce account, a sysvar, a lookup table or a program; undefined when it is none of them. */
export function parseSystemAccount(account: EncodedAccount): ParsedData | undefined {
  try {
    switch (account.programAddress) {
      case SYSTEM_PROGRAM_ADDRESS:
        return parseNonceAccount(account);
      case lookupTableProgram:
        return parseLookupTable(account);
      case upgradeableLoader:
        return parseUpgradeable(account);
      case sysvarOwner: {
        const read = Object.hasOwn(sysvars, account.address) ? sysvars[account.address] : undefined;
        return read && { program: 'sysvar', parsed: read(new ByteReader(account.data)) };
      }
      default:
        return undefined;
    }
  } catch (error) {
    if (error instanceof BytesEndError) return undefined;
    throw error;
  }
}
