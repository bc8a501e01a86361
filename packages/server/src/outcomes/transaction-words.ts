import {
  associatedTokenProgram,
  type BytePart,
  bytePartsOf,
  computeBudgetProgram,
  encodeBase58,
  formatAmount,
  type InstructionSummary,
  memoProgram,
  memoProgramV1,
  quoteMemo,
  readU64,
  summarizeTransaction,
  systemProgram,
  type TransactionSummary,
  token2022Program,
  tokenAclProgram,
  tokenProgram,
  tokenProgramName,
} from 'splwright-core/inspect';
import { counted, describeLamports } from './amount-words.ts';

/** Names of addresses, shown next to them. */
export type Names = ReadonlyMap<string, string>;

/** The names of the programs that transfers use. */
export const programNames: Names = new Map([
  [systemProgram, 'System program'],
  [tokenProgram, 'SPL Token'],
  [token2022Program, 'Token-2022'],
  [associatedTokenProgram, 'Associated Token Account program'],
  [memoProgram, 'Memo program'],
  [memoProgramV1, 'Memo program, version 1'],
  [computeBudgetProgram, 'Compute Budget program'],
  [tokenAclProgram, 'Token ACL program'],
]);

/** Returns an address, with its name if it has one. */
export function nameAddress(address: string, names: Names = new Map()): string {
  const name = names.get(address) ?? programNames.get(address);
  return name === undefined ? address : `${address} (${name})`;
}

/** An account of a transaction: its address, `signs` or empty, `writable` or empty, and what the transaction uses it for. */
export type AccountWords = readonly [address: string, signs: string, writable: string, uses: string];

/** Describes the accounts of a transaction, in their order. */
export function describeAccounts(summary: TransactionSummary): AccountWords[] {
  const uses = usesOf(summary);
  return summary.accounts.map(({ address, signer, writable }) => [
    address,
    signer ? 'signs' : '',
    writable ? 'writable' : '',
    [programNames.get(address), ...(uses.get(address) ?? [])].filter(Boolean).join(', '),
  ]);
}

function usesOf(summary: TransactionSummary): ReadonlyMap<string, readonly string[]> {
  const uses = new Map<string, string[]>([[summary.feePayer, ['fee payer']]]);
  const add = (address: string, use: string): void => {
    const known = uses.get(address) ?? [];
    if (!known.includes(use)) uses.set(address, [...known, use]);
  };
  for (const instruction of summary.instructions) {
    if (instruction.kind === 'transfer_checked') {
      add(instruction.authority, 'sender');
      add(instruction.source, "sender's token account");
      add(instruction.destination, "recipient's token account");
      add(instruction.mint, 'mint');
    } else if (instruction.kind === 'transfer_sol') {
      add(instruction.source, 'sender');
      add(instruction.destination, 'recipient');
    } else if (instruction.kind === 'create_associated_token_account_idempotent') {
      add(instruction.owner, "recipient's wallet");
    } else if (instruction.kind === 'thaw_token_account') {
      add(instruction.gateProgram, 'gate program');
    }
  }
  return uses;
}

/** Describes an instruction: first what it does, then a line for each account that matters. */
export function describeInstruction(instruction: InstructionSummary, named: (address: string) => string): string[] {
  switch (instruction.kind) {
    case 'set_compute_unit_limit':
      return [`set the compute unit limit to ${instruction.computeUnitLimit}`];
    case 'set_compute_unit_price':
      return [`set the compute unit price to ${instruction.microLamports} micro-lamports`];
    case 'advance_nonce_account':
      return [
        `advance the nonce account ${named(instruction.nonceAccount)}`,
        `authority  ${named(instruction.authority)}`,
      ];
    case 'create_associated_token_account_idempotent':
      return [
        `create a token account of ${tokenProgramName(instruction.tokenProgram)}, unless it exists`,
        `account    ${named(instruction.tokenAccount)}`,
        `owner      ${named(instruction.owner)}`,
        `mint       ${named(instruction.mint)}`,
        `paid by    ${named(instruction.payer)}`,
      ];
    case 'thaw_token_account':
      return [
        'thaw a token account if it is frozen and the gate program agrees',
        `account    ${named(instruction.tokenAccount)}`,
        `owner      ${named(instruction.owner)}`,
        `mint       ${named(instruction.mint)}`,
        `asked by   ${named(instruction.caller)}`,
        `gate       ${named(instruction.gateProgram)}`,
        ...instruction.gateAccounts.map(
          ({ address, writable }) => `gate reads ${named(address)}${writable ? ', writable' : ''}`,
        ),
      ];
    case 'memo':
      return [
        `memo ${quoteMemo(instruction.text)}`,
        ...instruction.signers.map((signer) => `signed by  ${named(signer)}`),
      ];
    case 'transfer_checked':
      return [
        `transfer ${counted(formatAmount(instruction.amount, instruction.decimals), 'token')} ` +
          `(${counted(`${instruction.amount}`, 'base unit')}, ${counted(`${instruction.decimals}`, 'decimal')}) of ${tokenProgramName(instruction.tokenProgram)}`,
        `mint       ${named(instruction.mint)}`,
        `from       ${named(instruction.source)}`,
        `to         ${named(instruction.destination)}`,
        `authority  ${named(instruction.authority)}`,
        // Nothing in the bytes tells a reference from an account of a transfer hook.
        ...instruction.otherAccounts.map(
          ({ address, writable }) => `also gets  ${named(address)}${writable ? ', writable' : ''}`,
        ),
      ];
    case 'transfer_sol':
      return [
        `transfer ${describeLamports(instruction.lamports)}`,
        `from       ${named(instruction.source)}`,
        `to         ${named(instruction.destination)}`,
        ...instruction.otherAccounts.map(({ address }) => `also gets  ${named(address)}`),
      ];
    case 'sync_native':
      return [
        `count the SOL of a token account of ${tokenProgramName(instruction.tokenProgram)} as its tokens`,
        `account    ${named(instruction.tokenAccount)}`,
      ];
    case 'close_account':
      return [
        `close a token account of ${tokenProgramName(instruction.tokenProgram)}`,
        `account    ${named(instruction.tokenAccount)}`,
        `SOL to     ${named(instruction.destination)}`,
        `owner      ${named(instruction.owner)}`,
      ];
    case 'unknown':
      return [
        `an instruction of the program ${named(instruction.program)}, not known here`,
        `data       ${toHex(instruction.data) || '(none)'}`,
        ...instruction.accounts.map(
          ({ address, signer, writable }) =>
            `account    ${named(address)}${signer ? ', signer' : ''}${writable ? ', writable' : ''}`,
        ),
      ];
  }
}

/** Returns bytes as hexadecimal digits, two a byte. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Bytes of a transaction that mean one thing, in words. */
export interface NamedBytes {
  offset: number;
  length: number;
  /** The part that they belong to: an instruction as `inspect` describes it, or a section of the message. */
  title: string;
  /** Their name and their value. */
  name: string;
  /** The index of the instruction that they belong to. */
  instruction?: number;
  /** The index in the message of the account that they name. */
  account?: number;
}

/** Describes bytes that are too few for a transaction, by what else has as many; `undefined` where nothing has. */
export function describeByteCount({ length }: Uint8Array): string | undefined {
  if (length === 32) return 'as many as an address has';
  return length === 64 ? 'as many as a signature or a secret key has' : undefined;
}

/**
 * Describes every byte of a transaction, in order and without gaps.
 *
 * Throws a `TransactionDecodeError` when they are not a transaction.
 */
export function describeBytes(bytes: Uint8Array): readonly NamedBytes[] {
  const summary = summarizeTransaction(bytes);
  const accounts = describeAccounts(summary);
  const titles = summary.instructions.map(
    (instruction, index) =>
      `${index + 1}. ${describeInstruction(instruction, (address) => nameAddress(address))[0] ?? ''}`,
  );
  return bytePartsOf(bytes).map((part) => {
    const own = bytes.subarray(part.offset, part.offset + part.length);
    const title = 'instruction' in part ? (titles[part.instruction] ?? '') : describeSection(part);
    return {
      offset: part.offset,
      length: part.length,
      title,
      name: describePart(part, own, summary, accounts),
      ...('instruction' in part && { instruction: part.instruction }),
      ...('account' in part && { account: part.account }),
    };
  });
}

function describeSection({ kind }: BytePart): string {
  switch (kind) {
    case 'signature_count':
    case 'signature':
      return 'signatures';
    case 'address':
    case 'address_count':
      return 'accounts';
    case 'lifetime':
      return 'lifetime';
    case 'header_priority_fee':
    case 'header_compute_limit':
    case 'header_size_limit':
    case 'header_heap_size':
      return 'limits';
    default:
      return 'message';
  }
}

function describePart(
  part: BytePart,
  own: Uint8Array,
  summary: TransactionSummary,
  accounts: readonly AccountWords[],
): string {
  switch (part.kind) {
    case 'signature_count':
      return `signatures: ${summary.signers.length}`;
    case 'signature': {
      const isSigned = own.some((byte) => byte !== 0);
      return `signature of ${nameAddress(accounts[part.account]?.[0] ?? '')}: ${isSigned ? encodeBase58(own) : 'not signed yet'}`;
    }
    case 'version':
      return `version of the message: ${summary.version}`;
    case 'required_signatures':
      return `accounts that sign: ${own[0]}`;
    case 'readonly_signers':
      return `of these, not writable: ${own[0]}`;
    case 'readonly_non_signers':
      return `of the others, not writable: ${own[0]}`;
    case 'address_count':
      return `accounts: ${summary.accounts.length}`;
    case 'address':
      return `account ${part.account}: ${(accounts[part.account] ?? []).filter(Boolean).join(', ')}`;
    case 'lifetime':
      return `${summary.instructions[0]?.kind === 'advance_nonce_account' ? 'nonce' : 'blockhash'}: ${summary.blockhash}`;
    case 'instruction_count':
      return `instructions: ${summary.instructions.length}`;
    case 'lookup_table_count':
      return 'address lookup tables: 0';
    case 'header_limits':
      return `which limits follow: ${toHex(own)}`;
    case 'header_priority_fee':
      return `priority: ${summary.config?.priorityFee} lamports`;
    case 'header_compute_limit':
      return `limit: ${summary.config?.computeUnitLimit} compute units`;
    case 'header_size_limit':
      return `limit: ${summary.config?.loadedAccountsDataSizeLimit} bytes of accounts`;
    case 'header_heap_size':
      return `size of the heap: ${littleEndian(own)} bytes`;
    case 'program':
      return `program: account ${part.account}, ${nameAddress(accounts[part.account]?.[0] ?? '')}`;
    case 'account_count':
      return `accounts of the instruction: ${part.count}`;
    case 'account': {
      const label = describeUse(summary.instructions[part.instruction], part.position);
      return `${label}: account ${part.account}, ${nameAddress(accounts[part.account]?.[0] ?? '')}`;
    }
    case 'data_length':
      return `length of the data: ${part.count} bytes`;
    case 'data':
      return describeData(part.field, own, summary.instructions[part.instruction]);
  }
}

/** The role of an account of an instruction, in the words of `describeInstruction`. */
function describeUse(instruction: InstructionSummary | undefined, position: number): string {
  switch (instruction?.kind) {
    case 'transfer_checked':
      return ['from', 'mint', 'to', 'authority'][position] ?? 'also gets';
    case 'transfer_sol':
      return ['from', 'to'][position] ?? 'also gets';
    case 'create_associated_token_account_idempotent':
      return ['paid by', 'account', 'owner', 'mint'][position] ?? 'program';
    case 'advance_nonce_account':
      return ['nonce account', 'recent blockhashes', 'authority'][position] ?? 'account';
    case 'thaw_token_account':
      return (
        ['asked by', 'mint', 'account', 'flag', 'owner', 'configuration', 'program', 'program', 'gate'][position] ??
        'gate reads'
      );
    case 'close_account':
      return ['account', 'SOL to', 'owner'][position] ?? 'account';
    case 'memo':
      return 'signed by';
    default:
      return 'account';
  }
}

function describeData(
  field: Extract<BytePart, { kind: 'data' }>['field'],
  own: Uint8Array,
  instruction: InstructionSummary | undefined,
): string {
  switch (field) {
    case 'discriminator':
      return `instruction of the program: ${littleEndian(own)}`;
    case 'amount':
      return `amount: ${counted(`${readU64(own, 0)}`, 'base unit')}`;
    case 'decimals':
      return `decimals: ${own[0]}`;
    case 'price':
      return `price: ${readU64(own, 0)} micro-lamports per compute unit`;
    case 'limit':
      return `limit: ${littleEndian(own)} compute units`;
    case 'text':
      return `memo ${quoteMemo(instruction?.kind === 'memo' ? instruction.text : '')}`;
    case 'data':
      return `data: ${toHex(own)}`;
  }
}

/** Up to four bytes as a number, the first being the least significant. */
function littleEndian(bytes: Uint8Array): number {
  return bytes.reduceRight((value, byte) => value * 256 + byte, 0);
}
