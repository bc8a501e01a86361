import type { Address } from '@solana/kit';
import { findAssociatedTokenPda } from '@solana-program/token-2022';
import type { Ledger } from '../../../packages/sandbox/src/index.ts';
import { keypairFromName } from '../../../packages/sandbox/src/ledger/keypair.ts';
import { fixedAddress, memoProgram, mintAddressOf, nameIn, systemProgram, tokenProgramOf } from '../addresses.ts';
import { isMissing } from '../asked.ts';
import { nonceAccountOf } from '../option-addresses.ts';
import type { PaymentSituation, Situation } from '../situation.ts';
import { account, clearAccount } from '../token-account.ts';
import { plainTransfer, plainWorld, type World } from '../world.ts';
import { writeMint, writeNonceAccount, writeSenderTokenAccount } from '../write-accounts.ts';
import { recipientAddressOf, writeRecipientTokenAccount, writeRecipientWallet } from '../write-recipient.ts';
import type { BatchWorld } from './batch-world.ts';

/** A batch on a ledger: where everything is. Its payments are its transfers, in the order of the request. */
export interface BatchStage {
  batch: BatchWorld;
  situation: Situation;
  /** Of each transfer. */
  references: readonly (readonly Address[])[];
}

/** Derives every address of a batch. */
export async function stageBatch(batch: BatchWorld): Promise<BatchStage> {
  const world = worldOf(batch);
  const sender = keypairFromName(nameIn(world, 'sender'));
  const payer = batch.isSponsored ? keypairFromName(nameIn(world, 'fee payer')) : sender;
  const tokenProgram = tokenProgramOf(batch.mint);
  const mint = mintAddressOf(world);
  const [senderTokenAccount] = await findAssociatedTokenPda({ owner: sender.address, mint, tokenProgram });
  const payments: PaymentSituation[] = [];
  for (const [index, { recipient, wallet, tokenAccount, amount, memo }] of batch.transfers.entries()) {
    const isPayer = wallet === 'fee_payer';
    const payee = {
      name: index,
      role: isPayer ? 'fee payer' : `recipient ${recipient}`,
      wallet: isPayer ? 'unfunded' : wallet,
      tokenAccount,
      amount,
      hasMemo: memo !== undefined,
      creation: batch.creation,
      creates: batch.creation === 'always' || (batch.creation === 'if_missing' && isMissing(tokenAccount)),
    } as const;
    const owner = await recipientAddressOf(world, payee, { sender: sender.address, mint, senderTokenAccount });
    const known = payments.find((each) => each.recipient === owner);
    const [derived, bump] = known
      ? [known.tokenAccount, known.bump]
      : await findAssociatedTokenPda({ owner, mint, tokenProgram });
    payments.push({ payee, recipient: owner, tokenAccount: derived, bump });
  }
  const wallets = { sender: sender.address, feePayer: payer.address, recipient: systemProgram };
  const situation: Situation = {
    world,
    signers: payer === sender ? [sender] : [payer, sender],
    ...wallets,
    mint,
    tokenProgram,
    decimals: batch.mint.kind === 'native' ? 9 : batch.mint.kind === 'oddity' ? 0 : batch.mint.decimals,
    senderTokenAccount,
    recipientTokenAccount: systemProgram,
    payments,
    nonceAccount: nonceAccountOf(world, wallets),
    references: [],
  };
  const known = [sender.address, mint, memoProgram];
  const referenceOf = (number: number): Address => known[number] ?? fixedAddress(`reference ${number}`);
  return { batch, situation, references: batch.transfers.map((each) => each.references.map(referenceOf)) };
}

/** Writes every account of a batch to a ledger, again where it has changed since. `lamports`: of the fee payer. */
export async function writeBatch(ledger: Ledger, { situation }: BatchStage, lamports: bigint): Promise<void> {
  const { sender, feePayer, payments } = situation;
  await writeMint(ledger, situation);
  for (const payment of firstOfEach(payments)) {
    if (payment.recipient === feePayer) writeRecipientTokenAccount(ledger, situation, payment);
    if (payment.recipient === sender || payment.recipient === feePayer) continue;
    if (payment.payee.wallet === 'unfunded') clearAccount(ledger, payment.recipient);
    writeRecipientWallet(ledger, situation, payment);
    writeRecipientTokenAccount(ledger, situation, payment);
  }
  writeSenderTokenAccount(ledger, situation);
  writeNonceAccount(ledger, situation);
  if (sender !== feePayer) clearAccount(ledger, sender);
  ledger.setAccount(account(feePayer, systemProgram, lamports));
}

/** The first payment of each token account that is paid. */
export function firstOfEach(payments: readonly PaymentSituation[]): PaymentSituation[] {
  const firsts = new Map<Address, PaymentSituation>();
  for (const payment of payments) if (!firsts.has(payment.recipient)) firsts.set(payment.recipient, payment);
  return [...firsts.values()];
}

// A world of a single transfer, of which everything is taken but the payments.
function worldOf(batch: BatchWorld): World {
  const { seed, number, mint, version, senderTokenAccount, balance, nonceState } = batch;
  const world: World = {
    ...plainWorld,
    operation: 'transfer',
    transfer: plainTransfer,
    seed,
    number,
    mint,
    amount: batch.transfers.reduce((sum, { amount }) => sum + amount, 0n),
    senderTokenAccount,
    balance,
    options: {
      transactionVersion: version,
      ...(nonceState && { nonceAccount: { state: nonceState, sentLate: false } }),
    },
  };
  return world;
}
