import {
  type Address,
  decompileTransactionMessage,
  getBase58Decoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  type ReadonlyUint8Array,
} from '@solana/kit';
import { getTransferSolInstructionDataDecoder } from '@solana-program/system';
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { getTransferCheckedInstructionDataDecoder, TOKEN_2022_PROGRAM_ADDRESS } from '@solana-program/token-2022';
import { systemProgram } from '../addresses.ts';
import { sol } from '../other-mint.ts';

/** What a transaction pays, read by kit and the token program's own client: nothing of the service's is used. */
export interface PaymentReading {
  /** Base58; that of the fee payer, or `undefined` where it is missing. */
  signature: string | undefined;
  isSigned: boolean;
  /** The signed bytes, in hex. */
  message: string;
  /** In base58: a blockhash, or a nonce. */
  lifetimeToken: string;
  /** Every checked transfer at the top level, whoever pays it. */
  transfers: readonly TransferReading[];
  /** Every System transfer at the top level, as of a mint `SOL`. */
  solTransfers: readonly TransferReading[];
  /** In hex, in their order. */
  memos: readonly string[];
}

/** A checked transfer. */
export interface TransferReading {
  source: Address;
  mint: Address;
  destination: Address;
  authority: Address;
  /** Base units. */
  amount: bigint;
  /** The further accounts, sorted. */
  others: readonly Address[];
  /** The further accounts as they stand there. */
  inOrder: readonly Address[];
  /** The first of them as they stand there: that by which the payment is looked for. */
  reference: Address | undefined;
}

const transferChecked = 12;
const systemTransfer = 2;
const tokenPrograms: ReadonlySet<string> = new Set([TOKEN_PROGRAM_ADDRESS, TOKEN_2022_PROGRAM_ADDRESS]);
const memoPrograms: ReadonlySet<string> = new Set([
  'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
]);

/** Reads a transaction, signed or not. */
export function readPayments(bytes: ReadonlyUint8Array): PaymentReading {
  const { messageBytes, signatures } = getTransactionDecoder().decode(bytes);
  const compiled = getCompiledTransactionMessageDecoder().decode(messageBytes);
  const { instructions } = decompileTransactionMessage(compiled);
  const transfers: TransferReading[] = [];
  const solTransfers: TransferReading[] = [];
  const memos: string[] = [];
  for (const { programAddress, accounts = [], data = new Uint8Array() } of instructions) {
    if (memoPrograms.has(programAddress)) memos.push(hexOf(data));
    if (programAddress === systemProgram && data[0] === systemTransfer) {
      const [source, destination, ...others] = accounts.map(({ address }) => address);
      if (!source || !destination) throw new Error('a transfer of SOL without its two accounts');
      const { amount } = getTransferSolInstructionDataDecoder().decode(data);
      const further = { others: others.toSorted(), inOrder: others, reference: others[0] };
      solTransfers.push({ source, mint: sol, destination, authority: source, amount, ...further });
    }
    if (!tokenPrograms.has(programAddress) || data[0] !== transferChecked) continue;
    const [source, mint, destination, authority, ...others] = accounts.map(({ address }) => address);
    if (!source || !mint || !destination || !authority) throw new Error('a transfer without its four accounts');
    const { amount } = getTransferCheckedInstructionDataDecoder().decode(data);
    const further = { others: others.toSorted(), inOrder: others, reference: others[0] };
    transfers.push({ source, mint, destination, authority, amount, ...further });
  }
  const given = Object.values(signatures);
  const [first] = given;
  return {
    signature: first ? getBase58Decoder().decode(first) : undefined,
    isSigned: given.some((signature) => signature !== null),
    message: hexOf(messageBytes),
    lifetimeToken: compiled.lifetimeToken ?? '',
    transfers,
    solTransfers,
    memos,
  };
}

function hexOf(bytes: ReadonlyUint8Array): string {
  return Buffer.from(Uint8Array.from(bytes)).toString('hex');
}
