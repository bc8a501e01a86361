import {
  type Account,
  type Address,
  addressFromBytes,
  buildTransaction,
  clockSysvar,
  decideBatch,
  decodeBase58,
  finish,
  rentSysvar,
  summarizeBatch,
  type TransferFacts,
  toAddress,
  validateBatchRequest,
} from '../../packages/core/src/index.ts';
import { decimals } from '../build/transfer-work.ts';
import { recordLayout as layout, recordLength, textLength } from '../service/transfer-record.ts';
import { type BatchWork, recipientCount } from './batch-work.ts';

const systemProgram = toAddress('11111111111111111111111111111111');
const tokenProgram = toAddress('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');
const sysvars = toAddress('Sysvar1111111111111111111111111111111111111');

function accountOf(owner: Address, data: Uint8Array, lamports: bigint): Account {
  return { owner, data, lamports, executable: false };
}

const wallet = accountOf(systemProgram, new Uint8Array(), 5_000_000_000n);

/**
 * Builds a batch as the service does, but for turns and the network: parse, derive, decide, pack, encode, read the bytes back, sum up.
 *
 * Nothing is kept between two of them but what the core itself remembers. `read`: what the chain says, made before the time is taken.
 */
export function buildInCore(
  work: BatchWork,
  read: ReadonlyMap<Address, Account | null>,
  blockhash: string,
): readonly Uint8Array[] {
  const { request, findings } = finish(validateBatchRequest(inputsOf(work)));
  if (!request) throw new Error(JSON.stringify(findings));
  const facts: TransferFacts = {
    read,
    recentPrices: undefined,
    maxPriorityFee: 1_000_000n,
  };
  const decided = finish(decideBatch(request, facts));
  if (!('transactions' in decided)) throw new Error(JSON.stringify(decided));
  const bytes = decided.transactions.map(({ plan }) => buildTransaction(plan, blockhash));
  summarizeBatch({ ...decided, bytes, lifetime: { blockhash, lastValidBlockHeight: 1n } });
  return bytes;
}

function inputsOf({ sender, mint, transfers }: BatchWork): Parameters<typeof validateBatchRequest>[0] {
  return {
    from: sender,
    mint,
    createTokenAccount: 'always',
    transfers: transfers.map(({ recipient, amount }) => ({ to: recipient, amount })),
  };
}

/**
 * What the chain says of the batch that `batchFrom` makes of a record: everyone is there and has enough.
 *
 * The addresses come out of the pool, so that the core has seen none of them.
 */
export function chainFacts(pool: Buffer, firstRecord: number): ReadonlyMap<Address, Account | null> {
  const bytes = (record: number, offset: number): Buffer => {
    const at = record * recordLength + offset;
    return pool.subarray(at, at + 32);
  };
  const text = (record: number, offset: number): Address => {
    const at = record * recordLength + offset;
    const decoded = decodeBase58(pool.toString('latin1', at, at + textLength).replace(/\0+$/, ''));
    if (!('bytes' in decoded)) throw new Error('the pool has a text that is no address');
    return addressFromBytes(decoded.bytes);
  };
  const mint = bytes(firstRecord, layout.mintBytes);
  const sender = bytes(firstRecord, layout.senderBytes);
  const read = new Map<Address, Account | null>([
    [rentSysvar, accountOf(sysvars, rentData(), 1_009_200n)],
    [clockSysvar, accountOf(sysvars, clockData(), 1_169_280n)],
    [addressFromBytes(mint), accountOf(tokenProgram, mintData(), 1_461_600n)],
    [addressFromBytes(sender), wallet],
    [text(firstRecord, layout.senderTokenText), tokenAccount(mint, sender)],
  ]);
  for (let index = 0; index < recipientCount; index++) {
    const recipient = bytes(firstRecord + index, layout.recipientBytes);
    read.set(addressFromBytes(recipient), wallet);
    read.set(text(firstRecord + index, layout.recipientTokenText), tokenAccount(mint, recipient));
  }
  return read;
}

function tokenAccount(mint: Uint8Array, owner: Uint8Array): Account {
  const data = new Uint8Array(165);
  data.set(mint);
  data.set(owner, 32);
  new DataView(data.buffer).setBigUint64(64, 10n ** 15n, true);
  // Initialized.
  data[108] = 1;
  return accountOf(tokenProgram, data, 2_039_280n);
}

function mintData(): Uint8Array {
  const data = new Uint8Array(82);
  data[44] = decimals;
  data[45] = 1;
  return data;
}

function rentData(): Uint8Array {
  const data = new Uint8Array(17);
  const view = new DataView(data.buffer);
  view.setBigUint64(0, 3_480n, true);
  view.setFloat64(8, 2, true);
  data[16] = 50;
  return data;
}

function clockData(): Uint8Array {
  return new Uint8Array(40);
}
