import {
  type Address,
  appendTransactionMessageInstructions,
  compileTransaction,
  createTransactionMessage,
  getBase58Decoder,
  getTransactionDecoder,
  getTransactionEncoder,
  type Instruction,
  isSolanaError,
  type Nonce,
  type SignatureBytes,
  SOLANA_ERROR__TRANSACTION__INVOKED_PROGRAMS_MUST_NOT_BE_WRITABLE,
  SOLANA_ERROR__TRANSACTION__TOO_MANY_ACCOUNT_ADDRESSES,
  SOLANA_ERROR__TRANSACTION__TOO_MANY_INSTRUCTIONS,
  setTransactionMessageComputeUnitLimit,
  setTransactionMessageComputeUnitPrice,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  setTransactionMessageLifetimeUsingDurableNonce,
  setTransactionMessageLoadedAccountsDataSizeLimit,
  setTransactionMessagePriorityFeeLamports,
  type Transaction,
  type TransactionMessage,
} from '@solana/kit';
import type { Ledger } from '../../packages/sandbox/src/index.ts';
import { faucet } from '../../packages/sandbox/src/ledger/faucet.ts';
import type { Keypair } from '../../packages/sandbox/src/ledger/keypair.ts';
import { throughVault } from '../setup/proxy-program.ts';
import { fixedAddress } from './addresses.ts';
import type { Budget } from './budget.ts';
import { nonceAuthorityOf } from './option-addresses.ts';
import type { Situation } from './situation.ts';

const maxLoadedBytes = 64 * 1024 * 1024;

/** The largest transaction of a world's version, in bytes. */
export function maxSize({ world }: Situation): number {
  return world.options.transactionVersion === 1 ? 4096 : 1232;
}

/** A transaction's bytes, in number. */
export function sizeOf(transaction: Transaction): number {
  return getTransactionEncoder().encode(transaction).length;
}

/** Compiles instructions as a world's request asks: its version, fee payer, compute budget and lifetime. */
export function compileTransactionOf(
  ledger: Ledger,
  situation: Situation,
  { instructions, budget }: { instructions: readonly Instruction[]; budget: Budget },
): Transaction {
  const { world, feePayer, nonceAccount } = situation;
  const empty = createMessage(world.options.transactionVersion ?? 'legacy');
  const message = appendTransactionMessageInstructions(instructions, setBudget(empty, budget));
  const paid = setTransactionMessageFeePayer(feePayer, message);
  if (nonceAccount === undefined) {
    return compileTransaction(setTransactionMessageLifetimeUsingBlockhash(ledger.latestBlockhash('confirmed'), paid));
  }
  const nonce = readNonce(ledger, nonceAccount);
  const config = {
    nonce,
    nonceAccountAddress: nonceAccount,
    nonceAuthorityAddress: nonceAuthorityOf(world, situation),
  };
  return compileTransaction(setTransactionMessageLifetimeUsingDurableNonce(config, paid));
}

/**
 * Compiles as `compileTransactionOf` does, or says what the library refuses, as the network would.
 *
 * A program would be written that another instruction calls: one given as the nonce account. Or there are more accounts than
 * a transaction may have: those of hooks. Or more instructions.
 */
export function compileIfAllowed(
  ...parameters: Parameters<typeof compileTransactionOf>
): Transaction | 'program_would_be_written' | 'too_many_accounts' | 'too_many_instructions' {
  try {
    return compileTransactionOf(...parameters);
  } catch (error) {
    if (isSolanaError(error, SOLANA_ERROR__TRANSACTION__INVOKED_PROGRAMS_MUST_NOT_BE_WRITABLE)) {
      return 'program_would_be_written';
    }
    if (isSolanaError(error, SOLANA_ERROR__TRANSACTION__TOO_MANY_ACCOUNT_ADDRESSES)) return 'too_many_accounts';
    if (isSolanaError(error, SOLANA_ERROR__TRANSACTION__TOO_MANY_INSTRUCTIONS)) return 'too_many_instructions';
    throw error;
  }
}

/** Reads an unsigned transaction, or a signed one. */
export function readTransaction(bytes: Uint8Array): Transaction {
  return getTransactionDecoder().decode(bytes);
}

/** The bytes of a transaction with the signature of each of these who must sign it. */
export function signTransaction(transaction: Transaction, signers: readonly Keypair[]): Uint8Array {
  const signatures: Record<Address, SignatureBytes | null> = { ...transaction.signatures };
  for (const signer of signers) {
    if (!(signer.address in signatures)) continue;
    // kit brands 64 bytes as a signature; these are one, just made.
    signatures[signer.address] = signer.sign(Uint8Array.from(transaction.messageBytes)) as SignatureBytes;
  }
  return Uint8Array.from(getTransactionEncoder().encode({ ...transaction, signatures }));
}

/** The bytes of a transaction in which somebody else has the vault's program make the calls of this one, as a multisig executes a proposal. */
export function executeProposal(ledger: Ledger, { messageBytes }: Transaction): Uint8Array {
  const budget = { computeUnitLimit: 1_400_000, computeUnitPrice: undefined, priorityFee: 0n };
  // Only version 1 has room for every proposal.
  const message = appendTransactionMessageInstructions(
    [throughVault(messageBytes)],
    setBudget(createMessage(1), budget),
  );
  const paid = setTransactionMessageFeePayer(faucet.address, message);
  const live = setTransactionMessageLifetimeUsingBlockhash(ledger.latestBlockhash('confirmed'), paid);
  return signTransaction(compileTransaction(live), [faucet]);
}

/** The nonce in an account, or, where there is none, one that no account has. */
export function readNonce(ledger: Ledger, nonceAccount: Address): Nonce {
  const data = ledger.getAccount(nonceAccount)?.data;
  // kit brands what it does not check.
  if (data?.length !== 80) return fixedAddress('nonce') as string as Nonce;
  return getBase58Decoder().decode(data.slice(40, 72)) as Nonce;
}

/** Returns an empty message of a version. */
export function createMessage(version: 'legacy' | 0 | 1): TransactionMessage {
  if (version === 'legacy') return createTransactionMessage({ version });
  return version === 0 ? createTransactionMessage({ version }) : createTransactionMessage({ version });
}

/** Sets the compute budget of a message, where its version has it. */
export function setBudget(
  message: TransactionMessage,
  { computeUnitLimit, computeUnitPrice, priorityFee }: Budget,
): TransactionMessage {
  const limited = setTransactionMessageComputeUnitLimit(computeUnitLimit, message);
  if (limited.version !== 1) return setTransactionMessageComputeUnitPrice(computeUnitPrice, limited);
  const sized = setTransactionMessageLoadedAccountsDataSizeLimit(maxLoadedBytes, limited);
  return computeUnitPrice === undefined ? sized : setTransactionMessagePriorityFeeLamports(priorityFee, sized);
}
