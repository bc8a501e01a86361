import { toUiTokenAmount } from '../../ledger/ui-token-amount.ts';
import type { ByteReader } from './byte-reader.ts';
import { authorityOf, type InstructionContext, type InstructionReader, namedAccounts } from './instruction-context.ts';
import { extensionInstructions } from './token-extension-instructions.ts';
import { extensionName } from './token-extensions.ts';

const authorityTypes = [
  'mintTokens',
  'freezeAccount',
  'accountOwner',
  'closeAccount',
  'transferFeeConfig',
  'withheldWithdraw',
  'closeMint',
  'interestRate',
  'permanentDelegate',
  'confidentialTransferMint',
  'transferHookProgramId',
  'confidentialTransferFeeConfig',
  'metadataPointer',
  'groupPointer',
  'groupMemberPointer',
  'scaledUiAmount',
  'pause',
] as const;

/** What belongs to a token account; everything else belongs to a mint. */
const accountAuthorityTypes: ReadonlySet<string> = new Set(['accountOwner', 'closeAccount']);

const amount = (data: ByteReader) => ({ amount: data.u64().toString() });

function checkedAmount(data: ByteReader) {
  const baseUnits = data.u64();
  return { tokenAmount: toUiTokenAmount(baseUnits, { decimals: data.u8() }) };
}

/** A member only where the value is there. */
function optional(name: string, value: string | null): object {
  return value === null ? {} : { [name]: value };
}

/** A reader of an instruction with these accounts, these contents, and, if one is named, an authority after the accounts. */
function kind(
  type: string,
  accounts: readonly string[],
  contents: (data: ByteReader) => object = () => ({}),
  authority?: string,
): InstructionReader {
  return (context) => ({
    type,
    info: {
      ...namedAccounts(context, ...accounts),
      ...contents(context.data),
      ...(authority !== undefined && authorityOf(context, accounts.length, authority)),
    },
  });
}

const mintContents = (data: ByteReader) => ({
  decimals: data.u8(),
  mintAuthority: data.address(),
  ...optional(
    'freezeAuthority',
    data.option(() => data.address()),
  ),
});

const owner = (data: ByteReader) => ({ owner: data.address() });

function multisig(type: string, accounts: readonly string[]): InstructionReader {
  return (context) => ({
    type,
    info: {
      ...namedAccounts(context, ...accounts),
      signers: context.accounts.slice(accounts.length),
      m: context.data.u8(),
    },
  });
}

function setAuthority(context: InstructionContext) {
  const authorityType = authorityTypes[context.data.u8()] ?? 'mintTokens';
  const newAuthority = context.data.option(() => context.data.address());
  const owned = accountAuthorityTypes.has(authorityType) ? 'account' : 'mint';
  return {
    type: 'setAuthority',
    info: {
      ...namedAccounts(context, owned),
      authorityType,
      newAuthority,
      ...authorityOf(context, 1, 'authority'),
    },
  };
}

function extensionTypes(data: ByteReader): object {
  const names = Array.from({ length: Math.floor(data.left / 2) }, () => extensionName(data.u16()));
  return names.length === 0 ? {} : { extensionTypes: names };
}

/** Readers of the instructions of SPL Token and Token-2022, by their first byte. */
export const tokenInstructions: Readonly<Record<number, InstructionReader>> = {
  0: kind('initializeMint', ['mint', 'rentSysvar'], mintContents),
  1: kind('initializeAccount', ['account', 'mint', 'owner', 'rentSysvar']),
  2: multisig('initializeMultisig', ['multisig', 'rentSysvar']),
  3: kind('transfer', ['source', 'destination'], amount, 'authority'),
  4: kind('approve', ['source', 'delegate'], amount, 'owner'),
  5: kind('revoke', ['source'], undefined, 'owner'),
  6: setAuthority,
  7: kind('mintTo', ['mint', 'account'], amount, 'mintAuthority'),
  8: kind('burn', ['account', 'mint'], amount, 'authority'),
  9: kind('closeAccount', ['account', 'destination'], undefined, 'owner'),
  10: kind('freezeAccount', ['account', 'mint'], undefined, 'freezeAuthority'),
  11: kind('thawAccount', ['account', 'mint'], undefined, 'freezeAuthority'),
  12: kind('transferChecked', ['source', 'mint', 'destination'], checkedAmount, 'authority'),
  13: kind('approveChecked', ['source', 'mint', 'delegate'], checkedAmount, 'owner'),
  14: kind('mintToChecked', ['mint', 'account'], checkedAmount, 'mintAuthority'),
  15: kind('burnChecked', ['account', 'mint'], checkedAmount, 'authority'),
  16: kind('initializeAccount2', ['account', 'mint', 'rentSysvar'], owner),
  17: kind('syncNative', ['account']),
  18: kind('initializeAccount3', ['account', 'mint'], owner),
  19: multisig('initializeMultisig2', ['multisig']),
  20: kind('initializeMint2', ['mint'], mintContents),
  21: kind('getAccountDataSize', ['mint'], extensionTypes),
  22: kind('initializeImmutableOwner', ['account']),
  23: kind('amountToUiAmount', ['mint'], amount),
  24: kind('uiAmountToAmount', ['mint'], (data) => ({ uiAmount: Buffer.from(data.rest()).toString('utf8') })),
  25: kind('initializeMintCloseAuthority', ['mint'], (data) => ({
    newAuthority: data.option(() => data.address()),
  })),
  29: kind('reallocate', ['account', 'payer', 'systemProgram'], extensionTypes, 'owner'),
  31: kind('createNativeMint', ['payer', 'nativeMint', 'systemProgram']),
  32: kind('initializeNonTransferableMint', ['mint']),
  35: kind('initializePermanentDelegate', ['mint'], (data) => ({ delegate: data.address() })),
  38: kind('withdrawExcessLamports', ['source', 'destination'], undefined, 'authority'),
  45: kind(
    'unwrapLamports',
    ['source', 'destination'],
    (data) => ({
      amount: data.option(() => data.u64().toString()),
    }),
    'authority',
  ),
  ...extensionInstructions,
};
