import { recentBlockhashesSysvar, systemProgram } from '../addresses/programs.ts';
import type { Parcel, TransactionFrame } from '../packing/weights/parcel.ts';
import { computeUnitsOfCreation, computeUnitsOfPayment } from '../plan/compute-budget.ts';
import type { AssociatedAccount, ReadPayment } from '../plan/transfer-facts.ts';
import { createsTokenAccount } from '../plan/transfer-plan.ts';
import type { DecodedBatchFacts } from './batch-facts.ts';
import type { BatchRequest } from './batch-request.ts';

// Instructions that programs call, measured on the ledger's programs: a token account is created in four, in six where its address
// holds lamports already, and in five where those are its rent. Only its author knows how many a hook calls: it has as many as most.
const innerOfCreate = 4;
const innerOfFundedCreate = 6;
const innerOfHook = 4;

/** Returns what a transfer takes of a transaction. */
export function parcelOf(
  { payee, tokenAccount, hookAccounts }: ReadPayment,
  batch: BatchRequest,
  { mint, tokenAccountRent }: Pick<DecodedBatchFacts, 'mint' | 'tokenAccountRent'>,
): Parcel {
  const exists = tokenAccount.state !== undefined;
  const costed = {
    createsRecipientTokenAccount: false,
    recipientTokenAccountBump: tokenAccount.bump,
    recipientTokenAccountExists: exists,
    memo: payee.memo,
    hookAccounts,
  };
  return {
    recipient: payee.to,
    recipientTokenAccount: tokenAccount.address,
    createsTokenAccount: createsTokenAccount(batch, payee.to, exists, nothingBefore),
    furtherAccounts:
      hookAccounts.length === 0
        ? payee.references
        : [...payee.references, ...hookAccounts.map(({ address }) => address)],
    memoByteLength: payee.memo?.bytes.length,
    computeUnits: computeUnitsOfPayment(costed, mint.tokenProgram),
    memoComputeUnits: payee.memo?.computeUnits ?? 0,
    createComputeUnits: computeUnitsOfCreation(costed, mint.tokenProgram),
    instructionCount: 1 + (payee.memo ? 1 : 0) + (mint.transferHookProgram === undefined ? 0 : 1 + innerOfHook),
    createInstructionCount: 1 + (exists ? 0 : innerOfCreation(tokenAccount, tokenAccountRent)),
  };
}

function innerOfCreation({ occupant, lamports }: AssociatedAccount, rent: bigint): number {
  if (occupant !== undefined || lamports === 0n) return innerOfCreate;
  // What it holds is not topped up where it is enough.
  return lamports < rent ? innerOfFundedCreate : innerOfFundedCreate - 1;
}

const nothingBefore: readonly [] = [];

/** Returns what every transaction of a batch has. */
export function frameOf(
  request: BatchRequest,
  { mint, senderTokenAccount, nonce }: Pick<DecodedBatchFacts, 'mint' | 'senderTokenAccount' | 'nonce'>,
): TransactionFrame {
  const { from, feePayer } = request;
  const accounts = new Set([feePayer, from, request.mint, mint.tokenProgram, senderTokenAccount.address]);
  if (nonce) for (const address of [nonce.account, recentBlockhashesSysvar, systemProgram]) accounts.add(address);
  return {
    version: request.version,
    accounts: [...accounts],
    signatureCount: feePayer === from ? 1 : 2,
    paysPriorityFee: request.priorityFee !== undefined,
    hasNonce: nonce !== undefined,
    isHooked: mint.transferHookProgram !== undefined,
    hasRoomForLimit: false,
  };
}
