import type { Account } from '../accounts/account.ts';
import type { NonceAdvance } from '../accounts/nonce-account.ts';
import { isVacant, type Mint } from '../accounts/token-state.ts';
import type { Address } from '../addresses/address.ts';
import { recentBlockhashesSysvar, systemProgram } from '../addresses/programs.ts';
import type { ReadPayment } from '../decide/read-payment.ts';
import type { Parcel, TransactionFrame } from '../packing/weights/parcel.ts';
import { computeUnitsOfCreation, computeUnitsOfPayment } from '../plan/compute-cost.ts';
import { createsTokenAccount } from '../plan/token-account-creation.ts';
import type { BatchRequest } from './batch-request.ts';

// Instructions that programs call, measured on the ledger's programs: a token account is created in four, in six where its address
// holds lamports already, and in five where those are its rent. Only its author knows how many a hook calls: it has as many as most.
const innerOfCreate = 4;
const innerOfFundedCreate = 6;
const innerOfHook = 4;

/** Returns what a transfer takes of a transaction. `bump`: of the recipient's token account; `rent`: the lamports that one must hold. */
export function parcelOf(payment: ReadPayment, bump: number, request: BatchRequest, mint: Mint, rent: bigint): Parcel {
  const { payee, tokenAccount, account, hookAccounts, tokenAccountAddress } = payment;
  const exists = tokenAccount !== undefined;
  const costed = {
    createsRecipientTokenAccount: false,
    recipientTokenAccountBump: bump,
    recipientTokenAccountExists: exists,
    memo: payee.memo,
    hookAccounts,
  };
  return {
    recipient: payee.to,
    recipientTokenAccount: tokenAccountAddress,
    createsTokenAccount: createsTokenAccount(request, payee.to, exists, nothingBefore),
    furtherAccounts:
      hookAccounts.length === 0
        ? payee.references
        : [...payee.references, ...hookAccounts.map(({ address }) => address)],
    memoByteLength: payee.memo?.bytes.length,
    computeUnits: computeUnitsOfPayment(costed, mint.tokenProgram),
    memoComputeUnits: payee.memo?.computeUnits ?? 0,
    createComputeUnits: computeUnitsOfCreation(costed, mint.tokenProgram),
    instructionCount: 1 + (payee.memo ? 1 : 0) + (mint.transferHookProgram === undefined ? 0 : 1 + innerOfHook),
    createInstructionCount: 1 + (exists ? 0 : innerOfCreation(account, rent)),
  };
}

function innerOfCreation(account: Account | null, rent: bigint): number {
  const lamports = account && isVacant(account) ? account.lamports : 0n;
  if (lamports === 0n) return innerOfCreate;
  // What it holds is not topped up where it is enough.
  return lamports < rent ? innerOfFundedCreate : innerOfFundedCreate - 1;
}

const nothingBefore: readonly [] = [];

/** Returns what every transaction of a batch has. */
export function frameOf(
  request: BatchRequest,
  mint: Mint,
  senderTokenAccount: Address,
  nonce: NonceAdvance | undefined,
): TransactionFrame {
  const { from, feePayer } = request;
  const accounts = new Set([feePayer, from, request.mint, mint.tokenProgram, senderTokenAccount]);
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
