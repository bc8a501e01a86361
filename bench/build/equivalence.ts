import { getAssociatedTokenAddressSync } from '@solana/spl-token';
import { PublicKey, VersionedTransaction } from '@solana/web3.js';
import { decimals, memoProgram, type TransferWork } from './transfer-work.ts';

interface PlainInstruction {
  program: string;
  accounts: readonly string[];
  /** Hexadecimal. */
  data: string;
}

interface PlainTransaction {
  instructions: readonly PlainInstruction[];
  feePayer: string;
  blockhash: string;
  signers: readonly string[];
  writable: readonly string[];
}

const tokenProgram = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const associatedTokenProgram = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';
const systemProgram = '11111111111111111111111111111111';

/**
 * Says in what the bytes of a builder differ in meaning from the transfer they should be; `undefined` when in nothing.
 *
 * They are decoded by web3.js and held against what is written down here, which no builder has a hand in.
 */
export function differenceFrom(work: TransferWork, bytes: Uint8Array): string | undefined {
  const wanted = expectedTransaction(work);
  const found = decode(bytes);
  for (const part of ['feePayer', 'blockhash', 'signers', 'writable'] as const) {
    if (String(found[part]) !== String(wanted[part])) return `${part} ${found[part]} instead of ${wanted[part]}`;
  }
  const names = (transaction: PlainTransaction): string => transaction.instructions.map(nameOf).join(', ');
  if (names(found) !== names(wanted)) return `its instructions are ${names(found)} instead of ${names(wanted)}`;
  for (const [index, instruction] of wanted.instructions.entries()) {
    const other = found.instructions[index];
    if (JSON.stringify(other) !== JSON.stringify(instruction)) {
      return `${nameOf(instruction)} is ${JSON.stringify(other)} instead of ${JSON.stringify(instruction)}`;
    }
  }
  return undefined;
}

function expectedTransaction({ sender, recipient, mint, blockhash, amount, memo }: TransferWork): PlainTransaction {
  const tokenAccountOf = (owner: string): string =>
    getAssociatedTokenAddressSync(new PublicKey(mint), new PublicKey(owner)).toBase58();
  const source = tokenAccountOf(sender);
  const destination = tokenAccountOf(recipient);
  const data = Buffer.alloc(10);
  data[0] = 12;
  data.writeBigUInt64LE(BigInt(amount), 1);
  data[9] = decimals;
  const first: PlainInstruction =
    memo === undefined
      ? {
          program: associatedTokenProgram,
          accounts: [sender, destination, recipient, mint, systemProgram, tokenProgram],
          data: '01',
        }
      : { program: memoProgram, accounts: [sender], data: Buffer.from(memo).toString('hex') };
  const transfer: PlainInstruction = {
    program: tokenProgram,
    accounts: [source, mint, destination, sender],
    data: data.toString('hex'),
  };
  return {
    instructions: [first, transfer],
    feePayer: sender,
    blockhash,
    signers: [sender],
    writable: [sender, source, destination].sort(),
  };
}

function decode(bytes: Uint8Array): PlainTransaction {
  const { message, version } = VersionedTransaction.deserialize(bytes);
  if (version !== 'legacy') throw new Error(`a transaction of version ${version}`);
  const keys = message.staticAccountKeys.map((key) => key.toBase58());
  return {
    instructions: message.compiledInstructions.map(({ programIdIndex, accountKeyIndexes, data }) => ({
      program: keys[programIdIndex] ?? '',
      accounts: accountKeyIndexes.map((index) => keys[index] ?? ''),
      data: Buffer.from(data).toString('hex'),
    })),
    feePayer: keys[0] ?? '',
    blockhash: message.recentBlockhash,
    signers: keys.filter((_, index) => message.isAccountSigner(index)),
    writable: keys.filter((_, index) => message.isAccountWritable(index)).sort(),
  };
}

function nameOf({ program, data }: PlainInstruction): string {
  if (program === memoProgram) return 'memo';
  if (program === tokenProgram)
    return data.startsWith('0c') ? 'TransferChecked' : `token instruction ${data.slice(0, 2)}`;
  if (program === associatedTokenProgram) return data === '01' ? 'CreateIdempotent' : 'Create';
  return program;
}
