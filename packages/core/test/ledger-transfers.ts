import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { address } from '@solana/kit';
import type { Ledger } from '../../sandbox/src/index.ts';
import type { Account } from '../src/accounts/account.ts';
import { type Address, addressFromBytes, addressToBytes, toAddress } from '../src/addresses/address.ts';
import { type DecidedTransfer, decideTransfer } from '../src/decide/decide-transfer.ts';
import { toMessage } from '../src/plan/plan-message.ts';
import { accountsToRead } from '../src/plan/transfer-facts.ts';
import type { TransferPlan } from '../src/plan/transfer-plan.ts';
import type { TransferRequest } from '../src/request/transfer-request.ts';
import { encodeTransaction } from '../src/transaction/encode-transaction.ts';
import { tokenAccountsOf } from './fixtures.ts';

/** The account at an address of a ledger, as the chain is read. */
export function readFrom(ledger: Ledger, wanted: Address): Account | null {
  const found = ledger.getAccount(address(wanted));
  if (!found) return null;
  const { programAddress, lamports, data, executable } = found;
  return { owner: toAddress(programAddress), lamports, data: Uint8Array.from(data), executable };
}

/** Decides a transfer on what a ledger holds. Throws when it is refused. */
export function decideOn(ledger: Ledger, request: TransferRequest): DecidedTransfer {
  const read = new Map<Address, Account | null>();
  let needs: readonly Address[] = accountsToRead(request, undefined);
  for (let round = 0; round < 5; round++) {
    for (const wanted of needs) read.set(wanted, readFrom(ledger, wanted));
    const facts = { read, recentPrices: [], maxPriorityFee: 1_000_000n };
    const decision = decideTransfer(request, facts);
    if ('plan' in decision) return decision;
    assert.ok('needs' in decision, JSON.stringify(decision));
    needs = decision.needs;
  }
  throw new Error('undecided after 5 rounds');
}

/** The compute units that the transaction of a plan takes on a ledger, which keeps nothing of it. Throws when it fails. */
export function unitsTakenOn(ledger: Ledger, plan: TransferPlan): number {
  const { blockhash } = ledger.latestBlockhash();
  const bytes = encodeTransaction(toMessage(plan, plan.nonce?.nonce ?? blockhash));
  const checks = { verifySignatures: false, checkLifetime: false, commitment: 'processed' } as const;
  const { error, logs, unitsConsumed } = ledger.simulate(bytes, checks);
  assert.equal(error, null, logs.join('\n'));
  return Number(unitsConsumed);
}

/** A wallet nobody has used, whose token account of the request's mint has this bump: always the same one. */
export function walletWithBump(bump: number, request: TransferRequest, tokenProgram: Address): Address {
  for (let attempt = 0; ; attempt++) {
    const to = addressFromBytes(createHash('sha256').update(`wallet ${attempt}`).digest());
    if (tokenAccountsOf({ ...request, to }, tokenProgram).recipientBump === bump) return to;
  }
}

/** Gives the recipient of a request an empty token account, made after that of another wallet. */
export function openTokenAccount(ledger: Ledger, request: TransferRequest, tokenProgram: Address, like: Address): void {
  const model = ledger.getAccount(address(tokenAccountsOf({ ...request, to: like }, tokenProgram).recipient));
  assert.ok(model);
  const data = Uint8Array.from(model.data);
  // Owner at 32, amount at 64.
  data.set(addressToBytes(request.to), 32);
  data.fill(0, 64, 72);
  ledger.setAccount({ ...model, address: address(tokenAccountsOf(request, tokenProgram).recipient), data });
}
