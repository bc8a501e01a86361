import { address } from '@solana/kit';
import type { Account } from '../../../packages/core/src/accounts/account.ts';
import { type Address, toAddress } from '../../../packages/core/src/addresses/address.ts';
import { batchAccountsToRead, deriveBatchTokenAccounts } from '../../../packages/core/src/batch/batch-accounts.ts';
import { type DecidedBatch, decideBatch } from '../../../packages/core/src/batch/decide-batch.ts';
import { type BatchInputs, validateBatchRequest } from '../../../packages/core/src/batch/validate-batch-request.ts';
import type { Finding } from '../../../packages/core/src/findings/finding.ts';
import type { Ledger } from '../../../packages/sandbox/src/index.ts';
import { maxPriorityFeeLamports } from '../court.ts';
import { decimalText, priorityFeeText } from '../request.ts';
import type { BatchStage } from './batch-stage.ts';
import type { TransferOfBatch } from './batch-world.ts';

/** What the service decides on a batch, and how it got there. */
export type BatchVerdict = { reads: number } & ({ decided: DecidedBatch } | { findings: readonly Finding[] });

// The first for everything, others for a hook's accounts and for prices.
const maxReads = 4;

/** Lets the service decide on a batch as it is on a ledger. */
export function decideOn(ledger: Ledger, stage: BatchStage): BatchVerdict {
  const { request, findings } = validateBatchRequest(inputsOf(stage));
  if (!request) return { reads: 0, findings };
  const { priorityFee } = stage.batch;
  const read = new Map<Address, Account | null>();
  const derived = new Map<Address, ReturnType<typeof deriveBatchTokenAccounts>>();
  const tokenAccountsUnder = (program: Address) => {
    const known = derived.get(program) ?? deriveBatchTokenAccounts(request, program);
    derived.set(program, known);
    return known;
  };
  let needs: readonly Address[] = batchAccountsToRead(request, undefined, tokenAccountsUnder);
  let recentPrices: readonly bigint[] | undefined;
  for (let reads = 1; reads <= maxReads; reads += 1) {
    for (const wanted of needs) read.set(wanted, readFrom(ledger, wanted));
    const facts = { read, tokenAccountsUnder, recentPrices, maxPriorityFee: maxPriorityFeeLamports };
    const decision = decideBatch(request, facts);
    if ('transactions' in decision) return { reads, decided: decision };
    if ('findings' in decision) return { reads, findings: decision.findings };
    needs = 'needs' in decision ? decision.needs : [];
    if ('needsPricesFor' in decision) recentPrices = priorityFee?.kind === 'level' ? priorityFee.recentPrices : [];
  }
  throw new Error(`undecided after ${maxReads} reads`);
}

function inputsOf({ batch, situation, references }: BatchStage): BatchInputs {
  const { sender, mint, feePayer, nonceAccount, payments, decimals } = situation;
  const priorityFee = priorityFeeText(batch.priorityFee, undefined);
  return {
    from: sender,
    mint,
    createTokenAccount: batch.creation,
    transactionVersion: batch.version,
    allowsOffCurveRecipient: batch.allowsOffCurveRecipient,
    ...(batch.isSponsored && { feePayer }),
    ...(priorityFee !== undefined && { priorityFee }),
    ...(nonceAccount !== undefined && { nonceAccount }),
    transfers: batch.transfers.map((transfer, index) => ({
      to: payments[index]?.recipient,
      ...amountOf(transfer, decimals),
      memo: transfer.memo,
      references: references[index],
    })),
  };
}

function amountOf({ amount, amountText }: TransferOfBatch, decimals: number) {
  if (amountText === 'base_units') return { amount: `${amount}` };
  const text = decimalText(amount, decimals);
  if (amountText === 'padded_decimal') return { amountDecimal: text };
  return { amountDecimal: `${text}${decimals === 0 ? '.' : ''}1` };
}

function readFrom(ledger: Ledger, wanted: Address): Account | null {
  const found = ledger.getAccount(address(wanted));
  if (!found) return null;
  const { programAddress, lamports, data, executable } = found;
  return { owner: toAddress(programAddress), lamports, data: Uint8Array.from(data), executable };
}
