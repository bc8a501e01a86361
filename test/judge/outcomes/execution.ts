import type { Address } from '@solana/kit';
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { TOKEN_2022_PROGRAM_ADDRESS } from '@solana-program/token-2022';
import type { TransactionRecord } from '../../../packages/sandbox/src/ledger/transaction-history.ts';

/** What a transaction did, by the instructions of every depth in the order of execution. Nothing of the service's is used. */
export interface Execution {
  moves: readonly Move[];
  /** Of SOL, with wallets and accounts in the places of token accounts. */
  lamportMoves: readonly Move[];
  /** In hex. */
  memos: readonly string[];
  /** Every address once, in the order in which its instructions name them. */
  named: readonly Address[];
}

/** A transfer between token accounts, in whatever form. */
export interface Move {
  source: Address;
  destination: Address;
  authority: Address;
  mint: Address | undefined;
  /** Base units. */
  amount: bigint;
  /** The further accounts. */
  others: readonly Address[];
  /** What only the transaction's own instruction that made it was handed: no signers, and nothing that a known program was handed. */
  around: readonly Address[];
}

type BareMove = Omit<Move, 'around'>;

const tokenPrograms: ReadonlySet<string> = new Set([TOKEN_PROGRAM_ADDRESS, TOKEN_2022_PROGRAM_ADDRESS]);
const memoPrograms: ReadonlySet<string> = new Set([
  'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
]);

const systemProgram = '11111111111111111111111111111111';
const knownPrograms: ReadonlySet<string> = new Set([
  ...tokenPrograms,
  ...memoPrograms,
  systemProgram,
  'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
]);

/** Reads what a transaction did. `whole`: with what programs called. */
export function executionOf({ transaction, innerInstructions, addresses }: TransactionRecord, whole = true): Execution {
  const at = (index: number): Address => {
    const found = addresses[index];
    if (found === undefined) throw new Error('an instruction names no account of its transaction');
    return found;
  };
  const moves: Move[] = [];
  const lamportMoves: Move[] = [];
  const memos: string[] = [];
  const named = new Set<Address>();
  for (const [index, own] of transaction.instructions.entries()) {
    const calls = whole ? (innerInstructions[index] ?? []) : [];
    const [made, madeOfLamports]: [BareMove[], BareMove[]] = [[], []];
    for (const { programIndex, accountIndices, data } of [own, ...calls]) {
      const accounts = accountIndices.map(at);
      for (const account of accounts) named.add(account);
      const program: string = at(programIndex);
      if (memoPrograms.has(program)) memos.push(Buffer.from(data).toString('hex'));
      if (tokenPrograms.has(program)) made.push(...movesOf(Buffer.from(data), accounts));
      if (program === systemProgram) madeOfLamports.push(...lamportMovesOf(Buffer.from(data), accounts));
    }
    const taken = new Set<Address | undefined>(
      [...made, ...madeOfLamports].flatMap((each) => [
        each.source,
        each.mint,
        each.destination,
        each.authority,
        ...each.others,
      ]),
    );
    for (const { programIndex, accountIndices } of calls) {
      taken.add(at(programIndex));
      if (knownPrograms.has(at(programIndex))) for (const each of accountIndices) taken.add(at(each));
    }
    const further = own.accountIndices.filter((each) => each >= transaction.header.numSignerAccounts).map(at);
    const around = further.filter((each) => !taken.has(each));
    moves.push(...made.map((each) => ({ ...each, around })));
    lamportMoves.push(...madeOfLamports.map((each) => ({ ...each, around })));
  }
  return { moves, lamportMoves, memos, named: [...named] };
}

// `Transfer` of the System program.
function lamportMovesOf(data: Buffer, [source, ...others]: readonly Address[]): readonly BareMove[] {
  if (source === undefined || data.length < 12 || data.readUInt32LE(0) !== 2) return [];
  return move([source], undefined, [...others.slice(0, 1), source, ...others.slice(1)], data.readBigUInt64LE(4));
}

function movesOf(data: Buffer, accounts: readonly Address[]): readonly BareMove[] {
  switch (data[0]) {
    case 3:
      return move(accounts.slice(0, 1), undefined, accounts.slice(1), data.readBigUInt64LE(1));
    case 12:
      return move(accounts.slice(0, 1), accounts[1], accounts.slice(2), data.readBigUInt64LE(1));
    case 26:
      return data[1] === 1 ? move(accounts.slice(0, 1), accounts[1], accounts.slice(2), data.readBigUInt64LE(2)) : [];
    case 255: {
      const moves: BareMove[] = [];
      let account = 0;
      for (let offset = 1; offset < data.length; ) {
        const [accountCount = 0, length = 0] = data.subarray(offset, offset + 2);
        const own = data.subarray(offset + 2, offset + 2 + length);
        moves.push(...movesOf(own, accounts.slice(account, account + accountCount)));
        account += accountCount;
        offset += 2 + length;
      }
      return moves;
    }
    default:
      return [];
  }
}

function move(
  [source]: readonly Address[],
  mint: Address | undefined,
  [destination, authority, ...others]: readonly Address[],
  amount: bigint,
): readonly BareMove[] {
  if (!source || !destination || !authority) throw new Error('a transfer without its accounts');
  return [{ source, destination, authority, mint, amount, others }];
}

/** Returns how much more a token account holds after a transaction than before, in base units. */
export function changeOf(record: TransactionRecord, account: string): bigint {
  const addresses: readonly string[] = record.addresses;
  const index = addresses.indexOf(account);
  const held = (balances: typeof record.preTokenBalances): bigint => {
    return BigInt(balances.find((each) => each.accountIndex === index)?.uiTokenAmount.amount ?? '0');
  };
  return held(record.postTokenBalances) - held(record.preTokenBalances);
}
