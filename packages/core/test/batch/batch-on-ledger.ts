import assert from 'node:assert/strict';
import { address } from '@solana/kit';
import { named, signWith } from '../../../../test/setup/wallets.ts';
import { Ledger } from '../../../sandbox/src/ledger/ledger.ts';
import { seedWorld } from '../../../sandbox/src/world.ts';
import type { Account } from '../../src/accounts/account.ts';
import { type Address, toAddress } from '../../src/addresses/address.ts';
import { findAssociatedTokenAddress } from '../../src/addresses/derived-addresses.ts';
import { type DecidedBatch, decideBatch } from '../../src/batch/decide-batch.ts';
import { type BatchInputs, validateBatchRequest } from '../../src/batch/validate-batch-request.ts';
import type { Finding } from '../../src/findings/finding.ts';
import { buildTransaction } from '../../src/plan/build-transaction.ts';
import { accountsToRead } from '../../src/plan/transfer-facts.ts';
import type { BatchRequest } from '../../src/request/transfer-request.ts';
import { readFrom } from '../ledger-transfers.ts';

/** A ledger with the sandbox's world, and what tests of batches do on it. */
export interface BatchStage {
  ledger: Ledger;
  alice: Address;
  bob: Address;
  walletOf: (name: string) => Address;
  mintOf: (name: string) => Address;
  /** Sends one transaction of a batch, signed by alice and bob as far as it wants them. */
  land: (batch: DecidedBatch, index: number) => Promise<void>;
  /** What a wallet holds of a mint, in base units. */
  balanceOf: (wallet: Address, mint: Address) => bigint;
}

/** Makes a ledger with the sandbox's world. */
export async function openBatchStage(): Promise<BatchStage> {
  const ledger = new Ledger();
  const world = await seedWorld(ledger);
  const walletOf = (name: string): Address => toAddress(named(world.wallets, name).address);
  const mintOf = (name: string): Address => toAddress(named(world.mints, name).address);
  const secretKeys = world.wallets.map(({ secret_key }) => secret_key);
  return {
    ledger,
    alice: walletOf('alice'),
    bob: walletOf('bob'),
    walletOf,
    mintOf,
    async land(batch, index) {
      const plan = batch.transactions[index]?.plan;
      assert.ok(plan);
      const { blockhash } = ledger.latestBlockhash();
      const signers = world.wallets.filter(({ address: wallet }) =>
        [plan.feePayer, plan.sender].some((signer) => signer === String(wallet)),
      );
      const bytes = buildTransaction(plan, plan.nonce?.nonce ?? blockhash);
      const keys = signers.length > 0 ? signers.map(({ secret_key }) => secret_key) : secretKeys;
      const outcome = ledger.sendTransaction(await signWith(bytes, keys));
      assert.equal(outcome.error, null, `${JSON.stringify(outcome.error)}\n${outcome.logs.join('\n')}`);
    },
    balanceOf(wallet, mint) {
      const tokenProgram = toAddress(ledger.getAccount(address(mint))?.programAddress ?? '');
      const account = findAssociatedTokenAddress({ owner: wallet, mint, tokenProgram });
      const data = ledger.getAccount(address(account.address))?.data;
      return data && data.length > 0 ? new DataView(data.buffer, data.byteOffset).getBigUint64(64, true) : 0n;
    },
  };
}

/** Parses a batch that has no faults. */
export async function batchOf(inputs: BatchInputs): Promise<BatchRequest> {
  const { request, findings } = await validateBatchRequest(inputs);
  assert.deepEqual(findings, []);
  assert.ok(request);
  return request;
}

/** Decides a batch on what a ledger holds: the batch, or why it is refused. */
export async function decideBatchOn(
  ledger: Ledger,
  request: BatchRequest,
): Promise<{ decided: DecidedBatch } | { findings: readonly Finding[] }> {
  const read = new Map<Address, Account | null>();
  let needs: readonly Address[] = accountsToRead(request, undefined);
  for (let round = 0; round < 5; round++) {
    for (const wanted of needs) read.set(wanted, readFrom(ledger, wanted));
    const decision = await decideBatch(request, { read, recentPrices: [], maxPriorityFee: 1_000_000n });
    if ('transactions' in decision) return { decided: decision };
    if ('findings' in decision) return decision;
    assert.ok('needs' in decision);
    needs = decision.needs;
  }
  throw new Error('undecided after 5 rounds');
}

/** Decides a batch that must not be refused. */
export async function landingBatch(ledger: Ledger, request: BatchRequest): Promise<DecidedBatch> {
  const decision = await decideBatchOn(ledger, request);
  assert.ok(
    'decided' in decision,
    JSON.stringify(decision, (_, value) => (typeof value === 'bigint' ? `${value}` : value)),
  );
  return decision.decided;
}
