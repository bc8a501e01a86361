import { readU32 } from '../bytes/little-endian.ts';

/** One part of what an extra account's address is derived from. Indices count the accounts of the hook's instruction. */
export type HookSeed =
  | { kind: 'literal'; bytes: Uint8Array }
  | { kind: 'instruction_data'; index: number; length: number }
  | { kind: 'account_key'; index: number }
  | { kind: 'account_data'; accountIndex: number; dataIndex: number; length: number };

/** Where the address of an extra account comes from. */
export type HookAddressSource =
  | { kind: 'literal'; bytes: Uint8Array }
  | { kind: 'hook_pda'; seeds: readonly HookSeed[] }
  | { kind: 'account_pda'; programIndex: number; seeds: readonly HookSeed[] }
  | { kind: 'instruction_data'; index: number }
  | { kind: 'account_data'; accountIndex: number; dataIndex: number };

/** An account that a transfer hook wants to be handed beside those of the transfer. */
export interface HookExtraAccount {
  source: HookAddressSource;
  signer: boolean;
  writable: boolean;
}

/** SHA-256("spl-transfer-hook-interface:execute"), first 8 bytes: the hook's instruction, and the type of its account list. */
export const executeDiscriminator = Uint8Array.of(105, 37, 101, 197, 75, 251, 102, 26);

// The list is one type-length-value entry: 8 bytes of type, a u32 of length, then a u32 of count and 35 bytes each
// (spl-tlv-account-resolution `ExtraAccountMeta`, `Seed`, `PubkeyData`).
const countOffset = 12;
const entriesOffset = 16;
const entryLength = 35;
const firstProgramIndexDiscriminator = 128;

/** Reads the list of extra accounts from a hook's validation account, or `undefined` when the data is no such list. */
export function decodeHookAccountList(data: Uint8Array): readonly HookExtraAccount[] | undefined {
  if (data.length < entriesOffset || executeDiscriminator.some((byte, index) => data[index] !== byte)) return undefined;
  const count = readU32(data, countOffset);
  if (entriesOffset + count * entryLength > data.length) return undefined;
  const accounts: HookExtraAccount[] = [];
  for (let index = 0; index < count; index++) {
    const start = entriesOffset + index * entryLength;
    const source = decodeSource(data[start] ?? 0, data.subarray(start + 1, start + 33));
    if (!source) return undefined;
    accounts.push({ source, signer: data[start + 33] === 1, writable: data[start + 34] === 1 });
  }
  return accounts;
}

function decodeSource(discriminator: number, config: Uint8Array): HookAddressSource | undefined {
  if (discriminator === 0) return { kind: 'literal', bytes: config };
  if (discriminator === 2) return decodePubkeyData(config);
  const seeds = decodeSeeds(config);
  if (!seeds) return undefined;
  if (discriminator === 1) return { kind: 'hook_pda', seeds };
  if (discriminator < firstProgramIndexDiscriminator) return undefined;
  return { kind: 'account_pda', programIndex: discriminator - firstProgramIndexDiscriminator, seeds };
}

function decodePubkeyData(config: Uint8Array): HookAddressSource | undefined {
  const [kind, first = 0, second = 0] = config;
  if (kind === 1) return { kind: 'instruction_data', index: first };
  if (kind === 2) return { kind: 'account_data', accountIndex: first, dataIndex: second };
  return undefined;
}

function decodeSeeds(config: Uint8Array): readonly HookSeed[] | undefined {
  const seeds: HookSeed[] = [];
  let offset = 0;
  while (offset < config.length && config[offset] !== 0) {
    const [kind, first = 0, second = 0, third = 0] = config.subarray(offset);
    switch (kind) {
      case 1:
        seeds.push({ kind: 'literal', bytes: config.subarray(offset + 2, offset + 2 + first) });
        offset += 2 + first;
        break;
      case 2:
        seeds.push({ kind: 'instruction_data', index: first, length: second });
        offset += 3;
        break;
      case 3:
        seeds.push({ kind: 'account_key', index: first });
        offset += 2;
        break;
      case 4:
        seeds.push({ kind: 'account_data', accountIndex: first, dataIndex: second, length: third });
        offset += 4;
        break;
      default:
        return undefined;
    }
    if (offset > config.length) return undefined;
  }
  return seeds;
}
