import type { ByteReader } from './byte-reader.ts';
import { type InstructionReader, namedAccounts } from './instruction-context.ts';

/** A reader of an instruction with these accounts and contents. */
function kind(
  type: string,
  accounts: readonly string[],
  contents: (data: ByteReader) => object = () => ({}),
): InstructionReader {
  return (context) => ({ type, info: { ...namedAccounts(context, ...accounts), ...contents(context.data) } });
}

const lamports = (data: ByteReader) => ({ lamports: data.u64() });

const withSeed = (data: ByteReader) => ({ base: data.address(), seed: data.text(8) });

/** Readers of the System program's instructions, by their u32 number. */
export const systemInstructions: readonly InstructionReader[] = [
  kind('createAccount', ['source', 'newAccount'], (data) => ({
    lamports: data.u64(),
    space: data.u64(),
    owner: data.address(),
  })),
  kind('assign', ['account'], (data) => ({ owner: data.address() })),
  kind('transfer', ['source', 'destination'], lamports),
  kind('createAccountWithSeed', ['source', 'newAccount'], (data) => ({
    ...withSeed(data),
    lamports: data.u64(),
    space: data.u64(),
    owner: data.address(),
  })),
  kind('advanceNonce', ['nonceAccount', 'recentBlockhashesSysvar', 'nonceAuthority']),
  kind(
    'withdrawFromNonce',
    ['nonceAccount', 'destination', 'recentBlockhashesSysvar', 'rentSysvar', 'nonceAuthority'],
    lamports,
  ),
  kind('initializeNonce', ['nonceAccount', 'recentBlockhashesSysvar', 'rentSysvar'], (data) => ({
    nonceAuthority: data.address(),
  })),
  kind('authorizeNonce', ['nonceAccount', 'nonceAuthority'], (data) => ({ newAuthorized: data.address() })),
  kind('allocate', ['account'], (data) => ({ space: data.u64() })),
  kind('allocateWithSeed', ['account'], (data) => ({
    ...withSeed(data),
    space: data.u64(),
    owner: data.address(),
  })),
  kind('assignWithSeed', ['account'], (data) => ({ ...withSeed(data), owner: data.address() })),
  (context) => {
    const { data } = context;
    const [amount, sourceSeed, sourceOwner] = [data.u64(), data.text(8), data.address()];
    const { source, sourceBase, destination } = namedAccounts(context, 'source', 'sourceBase', 'destination');
    const info = { source, sourceBase, destination, lamports: amount, sourceSeed, sourceOwner };
    return { type: 'transferWithSeed', info };
  },
  kind('upgradeNonce', ['nonceAccount']),
];

const associatedTokenAccounts = ['source', 'account', 'wallet', 'mint', 'systemProgram', 'tokenProgram'];

/** Readers of the Associated Token program's instructions, by their first byte; no data means the first. */
export const associatedTokenInstructions: readonly InstructionReader[] = [
  kind('create', associatedTokenAccounts),
  kind('createIdempotent', associatedTokenAccounts),
  kind('recoverNested', [
    'nestedSource',
    'nestedMint',
    'destination',
    'nestedOwner',
    'ownerMint',
    'wallet',
    'tokenProgram',
  ]),
];

/** Readers of the Address Lookup Table program's instructions, by their u32 number. */
export const lookupTableInstructions: readonly InstructionReader[] = [
  kind(
    'createLookupTable',
    ['lookupTableAccount', 'lookupTableAuthority', 'payerAccount', 'systemProgram'],
    (data) => ({ recentSlot: data.u64(), bumpSeed: data.u8() }),
  ),
  kind('freezeLookupTable', ['lookupTableAccount', 'lookupTableAuthority']),
  (context) => {
    const { accounts, data } = context;
    const hasPayer = accounts.length >= 4;
    const names = [
      'lookupTableAccount',
      'lookupTableAuthority',
      ...(hasPayer ? ['payerAccount', 'systemProgram'] : []),
    ];
    const newAddresses = Array.from({ length: Number(data.u64()) }, () => data.address());
    return { type: 'extendLookupTable', info: { ...namedAccounts(context, ...names), newAddresses } };
  },
  kind('deactivateLookupTable', ['lookupTableAccount', 'lookupTableAuthority']),
  kind('closeLookupTable', ['lookupTableAccount', 'lookupTableAuthority', 'recipient']),
];
