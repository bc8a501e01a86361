import type { Address } from '../addresses/address.ts';
import {
  associatedTokenProgram,
  computeBudgetProgram,
  memoProgram,
  memoProgramV1,
  systemProgram,
  token2022Program,
  tokenAclProgram,
  tokenProgram,
} from '../addresses/programs.ts';
import { readU32, readU64 } from '../bytes/little-endian.ts';
import { decodeUtf8 } from '../bytes/utf8.ts';
import { type DecodedTransaction, decodeTransaction } from './decode-transaction.ts';
import { discriminators } from './discriminators.ts';
import type { AccountMeta, Instruction } from './instruction.ts';

/** One instruction in words: what it is and its parts by name, or `unknown` with its raw parts. */
export type InstructionSummary =
  | { kind: 'advance_nonce_account'; nonceAccount: Address; authority: Address }
  | { kind: 'set_compute_unit_price'; microLamports: bigint }
  | { kind: 'set_compute_unit_limit'; computeUnitLimit: number }
  | {
      kind: 'create_associated_token_account_idempotent';
      payer: Address;
      tokenAccount: Address;
      owner: Address;
      mint: Address;
      tokenProgram: Address;
    }
  | {
      kind: 'thaw_token_account';
      caller: Address;
      mint: Address;
      tokenAccount: Address;
      owner: Address;
      gateProgram: Address;
      /** What the gate program reads, its list included. */
      gateAccounts: readonly AccountMeta[];
    }
  | { kind: 'memo'; program: Address; text: string; signers: readonly Address[] }
  | {
      kind: 'transfer_checked';
      tokenProgram: Address;
      source: Address;
      mint: Address;
      destination: Address;
      authority: Address;
      /** Base units. */
      amount: bigint;
      decimals: number;
      /** What follows the transfer's own accounts: references, and what a transfer hook gets. */
      otherAccounts: readonly AccountMeta[];
    }
  | {
      kind: 'transfer_sol';
      source: Address;
      destination: Address;
      lamports: bigint;
      /** What follows its own accounts: references. */
      otherAccounts: readonly AccountMeta[];
    }
  /** Counts the lamports of a token account as wrapped SOL. */
  | { kind: 'sync_native'; tokenProgram: Address; tokenAccount: Address }
  /** `destination`: gets the lamports of the token account. */
  | { kind: 'close_account'; tokenProgram: Address; tokenAccount: Address; destination: Address; owner: Address }
  | { kind: 'unknown'; program: Address; accounts: readonly AccountMeta[]; data: Uint8Array };

/** What a transaction says, readable by a person and by the check that compares bytes with their plan. */
export interface TransactionSummary
  extends Pick<DecodedTransaction, 'version' | 'byteLength' | 'signers' | 'blockhash' | 'config' | 'accounts'> {
  feePayer: Address;
  /** How many of the signers have signed. */
  signatureCount: number;
  instructions: readonly InstructionSummary[];
}

/** Describes a transaction by its bytes. Throws a `TransactionDecodeError` when they are not a transaction. */
export function summarizeTransaction(bytes: Uint8Array): TransactionSummary {
  const decoded = decodeTransaction(bytes);
  return {
    version: decoded.version,
    byteLength: decoded.byteLength,
    feePayer: decoded.signers[0],
    signers: decoded.signers,
    signatureCount: decoded.signatures.filter((signature) => signature.some((byte) => byte !== 0)).length,
    blockhash: decoded.blockhash,
    config: decoded.config,
    accounts: decoded.accounts,
    instructions: decoded.instructions.map(summarizeInstruction),
  };
}

function summarizeInstruction(instruction: Instruction): InstructionSummary {
  return readers.get(instruction.program)?.(instruction) ?? { kind: 'unknown', ...instruction };
}

const readers: ReadonlyMap<Address, (instruction: Instruction) => InstructionSummary | undefined> = new Map([
  [computeBudgetProgram, (instruction) => readComputeUnitLimit(instruction) ?? readComputeUnitPrice(instruction)],
  [systemProgram, (instruction) => readAdvanceNonceAccount(instruction) ?? readTransferSol(instruction)],
  [associatedTokenProgram, readCreateIdempotent],
  [tokenAclProgram, readThaw],
  [memoProgram, readMemo],
  [memoProgramV1, readMemo],
  [tokenProgram, readTokenInstruction],
  [token2022Program, readTokenInstruction],
]);

function readComputeUnitLimit({ data }: Instruction): InstructionSummary | undefined {
  if (data.length !== 5 || data[0] !== discriminators.setComputeUnitLimit) return undefined;
  return { kind: 'set_compute_unit_limit', computeUnitLimit: readU32(data, 1) };
}

function readComputeUnitPrice({ data }: Instruction): InstructionSummary | undefined {
  if (data.length !== 9 || data[0] !== discriminators.setComputeUnitPrice) return undefined;
  return { kind: 'set_compute_unit_price', microLamports: readU64(data, 1) };
}

function readAdvanceNonceAccount({ accounts, data }: Instruction): InstructionSummary | undefined {
  const [nonceAccount, , authority] = accounts;
  if (data.length !== 4 || readU32(data, 0) !== discriminators.advanceNonceAccount) return undefined;
  if (!nonceAccount || !authority) return undefined;
  return { kind: 'advance_nonce_account', nonceAccount: nonceAccount.address, authority: authority.address };
}

function readTransferSol({ accounts, data }: Instruction): InstructionSummary | undefined {
  const [source, destination, ...otherAccounts] = accounts;
  if (data.length !== 12 || readU32(data, 0) !== discriminators.systemTransfer) return undefined;
  if (!source || !destination) return undefined;
  const [from, to] = [source.address, destination.address];
  return { kind: 'transfer_sol', source: from, destination: to, lamports: readU64(data, 4), otherAccounts };
}

function readCreateIdempotent({ accounts, data }: Instruction): InstructionSummary | undefined {
  if (data.length !== 1 || data[0] !== discriminators.createIdempotent || accounts.length !== 6) return undefined;
  const [payer, tokenAccount, owner, mint, , tokenProgram] = accounts;
  if (!payer || !tokenAccount || !owner || !mint || !tokenProgram) return undefined;
  return {
    kind: 'create_associated_token_account_idempotent',
    payer: payer.address,
    tokenAccount: tokenAccount.address,
    owner: owner.address,
    mint: mint.address,
    tokenProgram: tokenProgram.address,
  };
}

function readThaw({ accounts, data }: Instruction): InstructionSummary | undefined {
  if (data.length !== 1 || data[0] !== discriminators.thawPermissionlessIdempotent) return undefined;
  const [caller, mint, tokenAccount, , owner, , , , gateProgram, ...gateAccounts] = accounts;
  if (!caller || !mint || !tokenAccount || !owner || !gateProgram) return undefined;
  return {
    kind: 'thaw_token_account',
    caller: caller.address,
    mint: mint.address,
    tokenAccount: tokenAccount.address,
    owner: owner.address,
    gateProgram: gateProgram.address,
    gateAccounts,
  };
}

// The Memo program fails on bytes that are not UTF-8: they are shown raw, not as text.
function readMemo({ program, accounts, data }: Instruction): InstructionSummary | undefined {
  const text = decodeUtf8(data);
  return text === undefined
    ? undefined
    : { kind: 'memo', program, text, signers: accounts.map(({ address }) => address) };
}

function readTokenInstruction(instruction: Instruction): InstructionSummary | undefined {
  return readTransferChecked(instruction) ?? readSyncNative(instruction) ?? readCloseAccount(instruction);
}

function readSyncNative({ program, accounts, data }: Instruction): InstructionSummary | undefined {
  const [account, ...others] = accounts;
  if (data.length !== 1 || data[0] !== discriminators.syncNative || !account || others.length > 0) return undefined;
  return { kind: 'sync_native', tokenProgram: program, tokenAccount: account.address };
}

function readCloseAccount({ program, accounts, data }: Instruction): InstructionSummary | undefined {
  const [account, destination, owner, ...others] = accounts;
  if (data.length !== 1 || data[0] !== discriminators.closeAccount || others.length > 0) return undefined;
  if (!account || !destination || !owner) return undefined;
  return {
    kind: 'close_account',
    tokenProgram: program,
    tokenAccount: account.address,
    destination: destination.address,
    owner: owner.address,
  };
}

function readTransferChecked({ program, accounts, data }: Instruction): InstructionSummary | undefined {
  if (data.length !== 10 || data[0] !== discriminators.transferChecked || accounts.length < 4) return undefined;
  const [source, mint, destination, authority, ...otherAccounts] = accounts;
  if (!source || !mint || !destination || !authority) return undefined;
  return {
    kind: 'transfer_checked',
    tokenProgram: program,
    source: source.address,
    mint: mint.address,
    destination: destination.address,
    authority: authority.address,
    amount: readU64(data, 1),
    decimals: data[9] ?? 0,
    otherAccounts,
  };
}
