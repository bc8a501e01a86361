import { type InstructionSummary, summarizeTransaction } from './summarize-transaction.ts';
import { type InstructionLayout, readTransactionLayout, type TransactionLayout } from './transaction-layout.ts';

/** What a field in the data of an instruction holds: `data` where the instruction is not known. */
export type DataField = 'discriminator' | 'amount' | 'decimals' | 'price' | 'limit' | 'text' | 'data';

/** What bytes of a transaction are. Indices count from 0; that of an account is its index in the message. */
export type BytePartKind =
  | { kind: 'signature_count' | 'version' | 'required_signatures' | 'readonly_signers' | 'readonly_non_signers' }
  | { kind: 'address_count' | 'lifetime' | 'instruction_count' | 'lookup_table_count' }
  | {
      kind: 'header_limits' | 'header_priority_fee' | 'header_compute_limit' | 'header_size_limit' | 'header_heap_size';
    }
  | { kind: 'signature' | 'address'; account: number }
  | { kind: 'program'; instruction: number; account: number }
  | { kind: 'account_count' | 'data_length'; instruction: number; count: number }
  | { kind: 'account'; instruction: number; account: number; position: number }
  | { kind: 'data'; instruction: number; field: DataField };

/** A part of the bytes that has one meaning. */
export type BytePart = { offset: number; length: number } & BytePartKind;

/**
 * Returns what every byte of a transaction is: parts without gaps, in the order of the bytes.
 *
 * Throws a `TransactionDecodeError` when they are not a transaction.
 */
export function bytePartsOf(bytes: Uint8Array): readonly BytePart[] {
  const layout = readTransactionLayout(bytes);
  const { instructions } = summarizeTransaction(bytes);
  const parts = new Parts();
  if (layout.version === 1) addVersion1(parts, bytes, layout, instructions);
  else addLegacyOrVersion0(parts, bytes, layout, instructions);
  return parts.all;
}

/** Collects parts, each beginning where the one before ends. */
class Parts {
  readonly all: BytePart[] = [];
  #end = 0;

  add(length: number, what: BytePartKind): void {
    if (length > 0) this.all.push({ offset: this.#end, length, ...what });
    this.#end += length;
  }

  /** Adds a part that ends at an offset: of a count, whose length depends on its value. */
  addUpTo(offset: number, what: BytePartKind): void {
    this.add(offset - this.#end, what);
  }
}

function addLegacyOrVersion0(
  parts: Parts,
  bytes: Uint8Array,
  layout: TransactionLayout,
  summaries: readonly InstructionSummary[],
): void {
  parts.addUpTo(layout.signaturesOffset, { kind: 'signature_count' });
  addSignatures(parts, layout);
  if (layout.version === 0) parts.add(1, { kind: 'version' });
  addHeader(parts);
  parts.addUpTo(layout.addressesOffset, { kind: 'address_count' });
  addAddresses(parts, layout);
  parts.add(32, { kind: 'lifetime' });
  // A compact count takes a second byte from 128 on.
  parts.add(layout.instructions.length < 128 ? 1 : 2, { kind: 'instruction_count' });
  for (const [instruction, place] of layout.instructions.entries()) {
    parts.add(1, { kind: 'program', instruction, account: place.programIndex });
    parts.addUpTo(place.accountsOffset, { kind: 'account_count', instruction, count: place.accountCount });
    addAccounts(parts, bytes, place, instruction);
    parts.addUpTo(place.dataOffset, { kind: 'data_length', instruction, count: place.dataLength });
    addData(parts, place, instruction, summaries[instruction]);
  }
  parts.addUpTo(bytes.length, { kind: 'lookup_table_count' });
}

function addVersion1(
  parts: Parts,
  bytes: Uint8Array,
  layout: TransactionLayout,
  summaries: readonly InstructionSummary[],
): void {
  parts.add(1, { kind: 'version' });
  addHeader(parts);
  // All bits of the mask are in its first byte.
  const mask = bytes[4] ?? 0;
  parts.addUpTo(layout.blockhashOffset, { kind: 'header_limits' });
  parts.add(32, { kind: 'lifetime' });
  parts.add(1, { kind: 'instruction_count' });
  parts.add(1, { kind: 'address_count' });
  addAddresses(parts, layout);
  if ((mask & 0b0_0011) !== 0) parts.add(8, { kind: 'header_priority_fee' });
  if ((mask & 0b0_0100) !== 0) parts.add(4, { kind: 'header_compute_limit' });
  if ((mask & 0b0_1000) !== 0) parts.add(4, { kind: 'header_size_limit' });
  if ((mask & 0b1_0000) !== 0) parts.add(4, { kind: 'header_heap_size' });
  for (const [instruction, { programIndex, accountCount, dataLength }] of layout.instructions.entries()) {
    parts.add(1, { kind: 'program', instruction, account: programIndex });
    parts.add(1, { kind: 'account_count', instruction, count: accountCount });
    parts.add(2, { kind: 'data_length', instruction, count: dataLength });
  }
  for (const [instruction, place] of layout.instructions.entries()) {
    addAccounts(parts, bytes, place, instruction);
    addData(parts, place, instruction, summaries[instruction]);
  }
  addSignatures(parts, layout);
}

function addSignatures(parts: Parts, { requiredSignatures }: TransactionLayout): void {
  for (let account = 0; account < requiredSignatures; account++) parts.add(64, { kind: 'signature', account });
}

function addHeader(parts: Parts): void {
  parts.add(1, { kind: 'required_signatures' });
  parts.add(1, { kind: 'readonly_signers' });
  parts.add(1, { kind: 'readonly_non_signers' });
}

function addAddresses(parts: Parts, { addressCount }: TransactionLayout): void {
  for (let account = 0; account < addressCount; account++) parts.add(32, { kind: 'address', account });
}

function addAccounts(parts: Parts, bytes: Uint8Array, place: InstructionLayout, instruction: number): void {
  const { accountsOffset, accountCount } = place;
  for (const [position, account] of bytes.subarray(accountsOffset, accountsOffset + accountCount).entries()) {
    parts.add(1, { kind: 'account', instruction, account, position });
  }
}

type Fields = readonly (readonly [field: DataField, length: number])[];

/** The fields of the data of an instruction. The data of one that is not known is one field. */
function fieldsOf(kind: InstructionSummary['kind'], dataLength: number): Fields {
  switch (kind) {
    case 'advance_nonce_account':
      return [['discriminator', 4]];
    case 'set_compute_unit_price':
      return [
        ['discriminator', 1],
        ['price', 8],
      ];
    case 'set_compute_unit_limit':
      return [
        ['discriminator', 1],
        ['limit', 4],
      ];
    case 'create_associated_token_account_idempotent':
    case 'thaw_token_account':
    case 'sync_native':
    case 'close_account':
      return [['discriminator', 1]];
    case 'transfer_sol':
      return [
        ['discriminator', 4],
        ['amount', 8],
      ];
    case 'transfer_checked':
      return [
        ['discriminator', 1],
        ['amount', 8],
        ['decimals', 1],
      ];
    case 'memo':
      return [['text', dataLength]];
    case 'unknown':
      return [['data', dataLength]];
  }
}

function addData(
  parts: Parts,
  { dataLength }: InstructionLayout,
  instruction: number,
  summary: InstructionSummary | undefined,
): void {
  const fields = fieldsOf(summary?.kind ?? 'unknown', dataLength);
  for (const [field, length] of fields) parts.add(length, { kind: 'data', instruction, field });
}
