import type { Address } from '@solana/kit';
import type { TransferPlan } from '../../../packages/core/src/plan/transfer-plan.ts';
import type { Ledger } from '../../../packages/sandbox/src/index.ts';
import { creationRentOf } from '../token-account.ts';
import { type BatchStage, firstOfEach } from './batch-stage.ts';

/** What everybody in a batch has, by address. */
export interface BatchBalances {
  /** Base units; undefined where there is no token account. */
  tokens: ReadonlyMap<Address, bigint | undefined>;
  lamports: ReadonlyMap<Address, bigint>;
}

/** A transaction of a batch: what it promises, and which transfers it makes. */
export interface PaidPart {
  plan: TransferPlan;
  transfers: readonly number[];
}

const lamportsPerSignature = 5_000n;

/** Reads what everybody in a batch has. */
export function batchBalancesOf(ledger: Ledger, { situation }: BatchStage): BatchBalances {
  const { sender, feePayer, senderTokenAccount, tokenProgram, payments } = situation;
  const paid = firstOfEach(payments);
  const tokensOf = (address: Address): bigint | undefined => {
    const found = ledger.getAccount(address);
    if (found?.programAddress !== tokenProgram) return undefined;
    return new DataView(found.data.buffer, found.data.byteOffset).getBigUint64(64, true);
  };
  const accounts = [senderTokenAccount, ...paid.map(({ tokenAccount }) => tokenAccount)];
  const wallets = [sender, feePayer, ...paid.map(({ recipient }) => recipient), ...accounts];
  return {
    tokens: new Map(accounts.map((address) => [address, tokensOf(address)])),
    lamports: new Map(wallets.map((address) => [address, ledger.getAccount(address)?.lamports ?? 0n])),
  };
}

/** Says where balances have not changed as these transactions of a batch, which have landed, promise. */
export function judgeBatchBalances(
  ledger: Ledger,
  { batch, situation }: BatchStage,
  { before, after }: { before: BatchBalances; after: BatchBalances },
  landed: readonly PaidPart[],
): string[] {
  const { sender, feePayer, senderTokenAccount, tokenProgram, payments } = situation;
  const isNative = batch.mint.kind === 'native';
  const rent = creationRentOf(ledger, batch.mint, tokenProgram);
  const tokens = new Map(before.tokens);
  const lamports = new Map(before.lamports);
  const add = (balances: Map<Address, bigint | undefined>, address: Address, change: bigint): void => {
    balances.set(address, (balances.get(address) ?? 0n) + change);
  };
  const move = (address: Address, change: bigint): void => {
    add(tokens, address, change);
    // Of wrapped SOL the tokens are lamports.
    if (isNative) add(lamports, address, change);
  };
  const created = new Set<Address>();
  for (const { plan, transfers } of landed) {
    add(lamports, feePayer, -(lamportsPerSignature * (sender === feePayer ? 1n : 2n) + plan.priorityFee));
    const planned = [...plan.splits, plan];
    for (const [at, index] of transfers.entries()) {
      const payment = payments[index];
      if (!payment) throw new RangeError(`there is no transfer ${index}`);
      const { payee, tokenAccount } = payment;
      if (before.tokens.get(tokenAccount) === undefined && !created.has(tokenAccount)) {
        created.add(tokenAccount);
        const held = before.lamports.get(tokenAccount) ?? 0n;
        const due = held < rent ? rent - held : 0n;
        add(lamports, feePayer, -due);
        add(lamports, tokenAccount, due);
      }
      move(senderTokenAccount, -payee.amount);
      move(tokenAccount, payee.amount - (planned[at]?.transferFee ?? 0n));
    }
  }
  return [...differences('tokens', tokens, after.tokens), ...differences('lamports', lamports, after.lamports)];
}

function differences(
  what: string,
  promised: ReadonlyMap<Address, bigint | undefined>,
  found: ReadonlyMap<Address, bigint | undefined>,
): string[] {
  return [...promised].flatMap(([address, amount]) => {
    const actual = found.get(address);
    return actual === amount ? [] : [`the ${what} of ${address} should be ${amount} and are ${actual}`];
  });
}
