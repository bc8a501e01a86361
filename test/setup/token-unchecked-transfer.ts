import { AccountRole, type Address, address, createNoopSigner, createSolanaRpc, type Instruction } from '@solana/kit';
import { getAddMemoInstruction } from '@solana-program/memo';
import { getAdvanceNonceAccountInstruction } from '@solana-program/system';
import {
  getCreateAssociatedTokenIdempotentInstruction,
  getTransferCheckedInstruction,
  getTransferCheckedWithTransferHookInstructionAsync,
} from '@solana-program/token-2022';
import type { Sandbox } from '../../packages/sandbox/src/index.ts';
import type { Keypair } from '../../packages/sandbox/src/ledger/keypair.ts';
import type { TransactionOutcome } from '../../packages/sandbox/src/ledger/ledger.ts';
import { signedTransaction } from '../../packages/sandbox/src/ledger/signed-transaction.ts';
import { associatedTokenAccountOf } from './token-accounts.ts';
import { hookProgramOf } from './token-hook-plans.ts';
import type { TokenMint } from './token-mints.ts';

const memoProgram = address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
const packetLimit = 1232;

/** The options of a transfer. */
export interface UncheckedOptions {
  /** Who pays in the sender's place. */
  feePayer?: Keypair;
  /** Advanced first, by the sender. */
  nonceAccount?: Address;
}

/** A transfer that a test asks for. */
interface WantedTransfer extends UncheckedOptions {
  mint: TokenMint;
  sender: Keypair;
  recipient: Address;
  /** Base units. */
  amount: bigint;
  memo: string | undefined;
  /** Whether the recipient's token account is made in the same transaction. */
  creates: boolean;
}

/** What the chain made of a transaction: `null` when it landed and succeeded. */
export type ChainError = TransactionOutcome['error'] | 'PacketTooLarge';

/**
 * Builds a transfer with the client libraries, as somebody would who checks nothing, sends it and says what came of it.
 *
 * Where the library finds no accounts for a transfer hook, the hook's program alone is added: more than the library does.
 */
export async function sendUnchecked(sandbox: Sandbox, wanted: WantedTransfer): Promise<ChainError> {
  const { ledger } = sandbox;
  const { sender, feePayer } = wanted;
  const signers: [Keypair, ...Keypair[]] = feePayer ? [feePayer, sender] : [sender];
  const instructions = await uncheckedInstructions(sandbox.rpcUrl, wanted);
  const bytes = signedTransaction(instructions, signers, ledger.latestBlockhash());
  // The ledger itself has no packets, whose size is what a validator's network takes.
  return bytes.length > packetLimit ? 'PacketTooLarge' : ledger.sendTransaction(bytes).error;
}

async function uncheckedInstructions(rpcUrl: string, wanted: WantedTransfer): Promise<Instruction[]> {
  const { mint, recipient, memo, creates, nonceAccount } = wanted;
  const { tokenProgram } = mint;
  const owner = createNoopSigner(wanted.sender.address);
  const destination = await associatedTokenAccountOf(mint, recipient);
  const instructions: Instruction[] = [];
  if (nonceAccount !== undefined) {
    instructions.push(getAdvanceNonceAccountInstruction({ nonceAccount, nonceAuthority: owner }));
  }
  if (creates) {
    const creation = { payer: owner, ata: destination, owner: recipient, mint: mint.address, tokenProgram };
    instructions.push(getCreateAssociatedTokenIdempotentInstruction(creation));
  }
  if (memo !== undefined) {
    instructions.push(getAddMemoInstruction({ memo, signers: [owner] }, { programAddress: memoProgram }));
  }
  const transfer = {
    source: await associatedTokenAccountOf(mint, owner.address),
    mint: mint.address,
    destination,
    authority: owner,
    amount: wanted.amount,
    decimals: mint.decimals,
  };
  const plain = getTransferCheckedInstruction(transfer, { programAddress: tokenProgram });
  instructions.push(mint.hook ? await withHook(rpcUrl, plain, transfer, hookProgramOf(mint.hook)) : plain);
  return instructions;
}

async function withHook(
  rpcUrl: string,
  plain: Instruction,
  transfer: Parameters<typeof getTransferCheckedInstruction>[0] & { authority: ReturnType<typeof createNoopSigner> },
  hookProgram: Address,
): Promise<Instruction> {
  const rpc = createSolanaRpc(rpcUrl);
  const resolved = await getTransferCheckedWithTransferHookInstructionAsync({ rpc }, transfer).catch(() => plain);
  const own = plain.accounts ?? [];
  if ((resolved.accounts?.length ?? 0) > own.length) return resolved;
  return { ...plain, accounts: [...own, { address: hookProgram, role: AccountRole.READONLY }] };
}
