import { type Address, address, type Transaction } from '@solana/kit';
import { buildTransaction } from '../../../packages/core/src/plan/build-transaction.ts';
import type { TransferPlan } from '../../../packages/core/src/plan/transfer-plan.ts';
import type { Ledger } from '../../../packages/sandbox/src/index.ts';
import { readTransferFees, withheldBy } from '../../setup/transfer-fees.ts';
import { feeOf } from '../budget.ts';
import { type Outcome, send } from '../outcome.ts';
import type { Random } from '../random.ts';
import { creationRentOf } from '../token-account.ts';
import { readTransaction } from '../transaction.ts';
import { epochOf } from '../write-accounts.ts';
import { at, type BatchStage, firstOfEach } from './batch-stage.ts';

/** Builds the bytes of one transaction of a batch with the newest blockhash, or with its nonce. */
export function bytesOf(ledger: Ledger, { transactions }: PaidBatch, index: number): Uint8Array {
  const plan = transactions[index]?.plan;
  if (!plan) throw new RangeError(`the batch has no transaction ${index}`);
  return buildTransaction(plan, plan.nonce?.nonce ?? ledger.latestBlockhash('confirmed').blockhash);
}

/** Signs a transaction and lets a ledger run it. */
export function sendFor(ledger: Ledger, { situation }: BatchStage, transaction: Transaction): Outcome {
  return send(ledger, situation, transaction, []);
}

/** Says in a line how a transaction came to its end. */
function describeOutcome(outcome: Outcome): string {
  if (outcome.kind !== 'failed') return outcome.kind;
  return `${JSON.stringify(outcome.error, (_key, value) => (typeof value === 'bigint' ? `${value}` : value))} after ${outcome.logs.slice(-3).join(' | ')}`;
}

/** Draws an order of so many things. */
export function shuffled(random: Random, count: number): number[] {
  const order: number[] = [];
  for (let index = 0; index < count; index += 1) order.splice(random.integer(0, index), 0, index);
  return order;
}

/**
 * Lands the transactions of a batch in a random order, at first only some of them, then the others, and says where the balances
 * are not what was promised of those that landed.
 */
export function landBatch(ledger: Ledger, stage: BatchStage, batch: PaidBatch, random: Random): string[] {
  const order = shuffled(random, batch.transactions.length);
  const count = random.integer(0, order.length);
  const feeAccounts = batch.transactions.flatMap(feeAccountsOf);
  const before = batchBalancesOf(ledger, stage, feeAccounts);
  const landed: PaidPart[] = [];
  for (const part of [order.slice(0, count), order.slice(count)]) {
    for (const index of part) {
      const outcome = sendFor(ledger, stage, readTransaction(bytesOf(ledger, batch, index)));
      if (outcome.kind !== 'landed') {
        return [`transaction ${index} of the order ${order} does not land: ${describeOutcome(outcome)}`];
      }
      const transaction = batch.transactions[index];
      if (transaction) landed.push(transaction);
    }
    const after = batchBalancesOf(ledger, stage, feeAccounts);
    const faults = judgeBatchBalances(ledger, stage, { before, after }, landed);
    if (faults.length > 0) return faults.map((fault) => `after ${landed.length} of the order ${order}: ${fault}`);
  }
  return [];
}

/** Where the fee of a sponsor comes from, and where it goes. */
function feeAccountsOf({ plan: { sponsorFee } }: PaidPart): Address[] {
  if (!sponsorFee) return [];
  const paid = sponsorFee.payments.map(({ recipientTokenAccount }) => recipientTokenAccount);
  return [sponsorFee.senderTokenAccount, ...paid].map((each) => address(each));
}

/** What everybody in a batch has, by address. */
interface BatchBalances {
  /** Base units; undefined where there is no token account. */
  tokens: ReadonlyMap<Address, bigint | undefined>;
  lamports: ReadonlyMap<Address, bigint>;
}

/** Transactions that were decided on. */
export interface PaidBatch {
  transactions: readonly PaidPart[];
}

/** A transaction of a batch: what it promises, and which transfers it makes. */
interface PaidPart {
  plan: TransferPlan;
  transfers: readonly number[];
}

/** Reads what everybody in a batch has. */
function batchBalancesOf(ledger: Ledger, stage: BatchStage, feeAccounts: readonly Address[]): BatchBalances {
  const { sender, feePayer } = stage.situation;
  const paid = firstOfEach(stage).map(({ payment }) => payment);
  const tokensOf = (address: Address): bigint | undefined => {
    const found = ledger.getAccount(address);
    if (!found || found.data.length < 165) return undefined;
    return new DataView(found.data.buffer, found.data.byteOffset).getBigUint64(64, true);
  };
  const sources = stage.situations.map(({ senderTokenAccount }) => senderTokenAccount);
  const accounts = [...new Set(sources), ...paid.map(({ tokenAccount }) => tokenAccount), ...feeAccounts];
  const wallets = [sender, feePayer, ...paid.map(({ recipient }) => recipient), ...accounts];
  return {
    tokens: new Map(accounts.map((address) => [address, tokensOf(address)])),
    lamports: new Map(wallets.map((address) => [address, ledger.getAccount(address)?.lamports ?? 0n])),
  };
}

/** Says where balances have not changed as these transactions of a batch, which have landed, promise. */
function judgeBatchBalances(
  ledger: Ledger,
  { situation, situations }: BatchStage,
  { before, after }: { before: BatchBalances; after: BatchBalances },
  landed: readonly PaidPart[],
): string[] {
  const { feePayer, payments } = situation;
  const tokens = new Map(before.tokens);
  const lamports = new Map(before.lamports);
  const add = (balances: Map<Address, bigint | undefined>, address: Address, change: bigint): void => {
    balances.set(address, (balances.get(address) ?? 0n) + change);
  };
  const created = new Set<Address>();
  for (const { plan, transfers } of landed) {
    const { world, mint, tokenProgram, senderTokenAccount } = at(situations, transfers[0] ?? 0);
    const rent = creationRentOf(ledger, world.mint, tokenProgram);
    const move = (address: Address, change: bigint, token = mint): void => {
      add(tokens, address, change);
      // Of wrapped SOL, which is no other token of a batch, the tokens are lamports.
      if (token === situation.mint && situation.world.mint.kind === 'native') add(lamports, address, change);
    };
    add(lamports, feePayer, -feeOf(situation, plan));
    const planned = plan.payments;
    const [source, ...paid] = feeAccountsOf({ plan, transfers });
    for (const [payment, destination] of paid.entries()) {
      const { amount = 0n } = plan.sponsorFee?.payments[payment] ?? {};
      const feeMint = address(plan.sponsorFee?.mint ?? mint);
      const [feeInForce] = readTransferFees(ledger, feeMint, epochOf(ledger));
      if (source) move(source, -amount, feeMint);
      move(destination, amount - (feeInForce ? withheldBy(feeInForce, amount) : 0n), feeMint);
    }
    for (const [place, index] of transfers.entries()) {
      const { payee, tokenAccount } = at(payments, index);
      if (before.tokens.get(tokenAccount) === undefined && !created.has(tokenAccount)) {
        created.add(tokenAccount);
        const held = before.lamports.get(tokenAccount) ?? 0n;
        const due = held < rent ? rent - held : 0n;
        add(lamports, feePayer, -due);
        add(lamports, tokenAccount, due);
      }
      move(senderTokenAccount, -payee.amount);
      move(tokenAccount, payee.amount - (planned[place]?.transferFee ?? 0n));
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
