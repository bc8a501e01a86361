import {
  AccountRole,
  appendTransactionMessageInstructions,
  compileTransaction,
  createNoopSigner,
  createTransactionMessage,
  decompileTransactionMessage,
  getCompiledTransactionMessageDecoder,
  type Instruction,
  isSolanaError,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import { getAddMemoInstruction } from '@solana-program/memo';
import { getTransferSolInstruction } from '@solana-program/system';
import { fixedAddress, memoProgram } from '../addresses.ts';
import { readTransaction, signTransaction } from '../transaction.ts';
import { whileFrozen } from './chain-steps.ts';
import type { Traffic } from './history-world.ts';
import type { Built, Trial } from './trial.ts';
import { maxBytes } from './wallet.ts';

const transferChecked = 12;
const amountOffset = 1;

/** Sends payments between the accounts of what was built, none of which is the same payment. */
export function sendTraffic(trial: Trial, built: Built, payments: readonly Traffic[]): void {
  for (const [index, traffic] of payments.entries()) {
    const bytes = trafficOf(trial, built, traffic, index);
    if (!bytes) continue;
    const send = (): unknown => trial.cluster.send(bytes);
    if (traffic.fails) whileFrozen(trial, send);
    else send();
  }
  trial.log.push(`${payments.length} other payments`);
}

function trafficOf(trial: Trial, built: Built, { differs }: Traffic, index: number): Uint8Array | undefined {
  const { situation, otherPayer, cluster } = trial;
  const compiled = getCompiledTransactionMessageDecoder().decode(readTransaction(built.bytes).messageBytes);
  const given = decompileTransactionMessage(compiled).instructions;
  const paying = given.filter(({ programAddress }) => programAddress === situation.tokenProgram);
  const memos = given.filter(({ programAddress }) => programAddress === memoProgram);
  const name = `${cluster.tip} ${index}`;
  const other = fixedAddress(`other reference ${name}`);
  const memo = getAddMemoInstruction(
    { memo: `other ${name}`, signers: [createNoopSigner(situation.sender)] },
    { programAddress: memoProgram },
  );
  const incoming = getTransferSolInstruction({
    source: createNoopSigner(otherPayer.address),
    destination: situation.senderTokenAccount,
    amount: 1n + BigInt(index),
  });
  const instructions: Record<Traffic['differs'], readonly Instruction[]> = {
    memo: [memo, ...paying],
    amount: [...memos, ...paying.map((each) => withAmount(each, BigInt(1 + index)))],
    references: [...memos, ...paying.map((each) => withReference(each, other))],
    incoming: [incoming],
  };
  // Two alike in one block would be one.
  const message = appendTransactionMessageInstructions(
    instructions[differs],
    setTransactionMessageLifetimeUsingBlockhash(
      cluster.ledger.latestBlockhash(),
      setTransactionMessageFeePayer(otherPayer.address, createTransactionMessage({ version: 0 })),
    ),
  );
  try {
    const transaction = compileTransaction(message);
    const signers = [otherPayer, ...situation.signers].filter(({ address }) => address in transaction.signatures);
    const bytes = signTransaction(transaction, signers);
    return bytes.length <= maxBytes ? bytes : undefined;
  } catch (error) {
    if (isSolanaError(error)) return undefined;
    throw error;
  }
}

// Small amounts more: the sender has enough for many.
function withAmount(instruction: Instruction, more: bigint): Instruction {
  if (instruction.data?.[0] !== transferChecked) return instruction;
  const data = Uint8Array.from(instruction.data);
  const view = new DataView(data.buffer);
  view.setBigUint64(amountOffset, view.getBigUint64(amountOffset, true) + more, true);
  return { ...instruction, data };
}

function withReference(instruction: Instruction, reference: Parameters<typeof createNoopSigner>[0]): Instruction {
  const { accounts = [] } = instruction;
  return { ...instruction, accounts: [...accounts, { address: reference, role: AccountRole.READONLY }] };
}
