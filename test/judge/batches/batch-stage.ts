import type { Address } from '@solana/kit';
import { findAssociatedTokenPda } from '@solana-program/token-2022';
import type { Ledger } from '../../../packages/sandbox/src/index.ts';
import { keypairFromName } from '../../../packages/sandbox/src/ledger/keypair.ts';
import { fixedAddress, memoProgram, mintAddressOf, nameIn, systemProgram, tokenProgramOf } from '../addresses.ts';
import { isMissing } from '../asked.ts';
import { nonceAccountOf, thirdSignersOf } from '../option-addresses.ts';
import type { PaymentSituation, Situation } from '../situation.ts';
import { account, clearAccount } from '../token-account.ts';
import { plainTransfer, plainWorld, type World } from '../world.ts';
import { writeMint, writeNonceAccount, writeSenderTokenAccount } from '../write-accounts.ts';
import { recipientAddressOf, writeRecipientTokenAccount, writeRecipientWallet } from '../write-recipient.ts';
import type { BatchWorld, TransferOfBatch } from './batch-world.ts';

/** A batch on a ledger: where everything is. */
export interface BatchStage {
  batch: BatchWorld;
  /** With the token of the batch, and with all payments, in the order of the request. */
  situation: Situation;
  /** Of each transfer that of its token, with the payments of that alone. */
  situations: readonly Situation[];
  /** Of each transfer. */
  references: readonly (readonly Address[])[];
}

/** Derives every address of a batch. */
export async function stageBatch(batch: BatchWorld): Promise<BatchStage> {
  const tokens: Situation[] = [];
  for (const [token] of [batch, ...batch.otherTokens].entries()) tokens.push(await situateToken(batch, token));
  const payments: PaymentSituation[] = [];
  const derived = new Map<string, PaymentSituation>();
  for (const [index, transfer] of batch.transfers.entries()) {
    const own = at(tokens, transfer.token);
    const payee = payeeOf(batch, transfer, index);
    const recipient = await recipientAddressOf(own.world, payee, own);
    const key = `${own.mint} ${recipient}`;
    const known = derived.get(key);
    const { mint, tokenProgram } = own;
    const [tokenAccount, bump] = known
      ? [known.tokenAccount, known.bump]
      : await findAssociatedTokenPda({ owner: recipient, mint, tokenProgram });
    const payment = { payee, recipient, tokenAccount, bump };
    derived.set(key, payment);
    payments.push(payment);
  }
  const situations = tokens.map((each, token) => {
    return { ...each, payments: payments.filter((_, index) => batch.transfers[index]?.token === token) };
  });
  const { sender, mint } = at(tokens, 0);
  const known = [sender, mint, memoProgram];
  const referenceOf = (number: number): Address => known[number] ?? fixedAddress(`reference ${number}`);
  return {
    batch,
    situation: { ...at(tokens, 0), payments },
    situations: batch.transfers.map(({ token }) => at(situations, token)),
    references: batch.transfers.map((each) => each.references.map(referenceOf)),
  };
}

/** The element of a list at an index that it has. */
export function at<Each>(list: readonly Each[], index: number): Each {
  const found = list[index];
  if (found === undefined) throw new RangeError(`there is nothing at ${index}`);
  return found;
}

async function situateToken(batch: BatchWorld, token: number): Promise<Situation> {
  const world = worldOf(batch, token);
  const sender = keypairFromName(nameIn(world, 'sender'));
  const payer = batch.isSponsored ? keypairFromName(nameIn(world, 'fee payer')) : sender;
  const tokenProgram = tokenProgramOf(world.mint);
  const mint = mintAddressOf(world);
  const [senderTokenAccount] = await findAssociatedTokenPda({ owner: sender.address, mint, tokenProgram });
  const wallets = { sender: sender.address, feePayer: payer.address, recipient: systemProgram };
  return {
    world,
    signers: [...new Set([payer, sender]), ...thirdSignersOf(world)],
    ...wallets,
    mint,
    tokenProgram,
    decimals: world.mint.kind === 'native' ? 9 : world.mint.kind === 'oddity' ? 0 : world.mint.decimals,
    senderTokenAccount,
    recipientTokenAccount: systemProgram,
    payments: [],
    nonceAccount: nonceAccountOf(world, wallets),
    references: [],
  };
}

function payeeOf(batch: BatchWorld, transfer: TransferOfBatch, name: number): PaymentSituation['payee'] {
  const { recipient, wallet, tokenAccount, amount, memo, token } = transfer;
  const isPayer = wallet === 'fee_payer';
  // Some of what is odd about a wallet is so for one token only.
  const isPlain = wallet === 'funded' || wallet === 'unfunded' || token === 0;
  return {
    name,
    role: isPayer ? 'fee payer' : `recipient ${recipient}${isPlain ? '' : ` of token ${token}`}`,
    wallet: isPayer ? 'unfunded' : wallet,
    tokenAccount,
    amount,
    hasMemo: memo !== undefined,
    creation: batch.creation,
    creates: batch.creation === 'always' || (batch.creation === 'if_missing' && isMissing(tokenAccount)),
  };
}

/** Writes every account of a batch to a ledger, again where it has changed since. `lamports`: of the fee payer. */
export async function writeBatch(ledger: Ledger, stage: BatchStage, lamports: bigint): Promise<void> {
  const { sender, feePayer } = stage.situation;
  const tokens = new Set(stage.situations);
  for (const own of tokens) await writeMint(ledger, own);
  for (const { payment, own } of firstOfEach(stage)) {
    if (payment.recipient === feePayer) writeRecipientTokenAccount(ledger, own, payment);
    if (payment.recipient === sender || payment.recipient === feePayer) continue;
    if (payment.payee.wallet === 'unfunded') clearAccount(ledger, payment.recipient);
    writeRecipientWallet(ledger, own, payment);
    writeRecipientTokenAccount(ledger, own, payment);
  }
  for (const own of tokens) writeSenderTokenAccount(ledger, own);
  writeNonceAccount(ledger, stage.situation);
  if (sender !== feePayer) clearAccount(ledger, sender);
  ledger.setAccount(account(feePayer, systemProgram, lamports));
}

/** The first payment of each token account that is paid, in the situation of its token. */
export function firstOfEach({ situations }: BatchStage): readonly { payment: PaymentSituation; own: Situation }[] {
  const firsts = new Map<Address, { payment: PaymentSituation; own: Situation }>();
  for (const own of new Set(situations)) {
    for (const payment of own.payments) {
      if (!firsts.has(payment.tokenAccount)) firsts.set(payment.tokenAccount, { payment, own });
    }
  }
  return [...firsts.values()];
}

// A world of a single transfer of a token, of which everything is taken but the payments.
function worldOf(batch: BatchWorld, token: number): World {
  const { seed, number, version, nonceState } = batch;
  const { mint, senderTokenAccount, balance } = at([batch, ...batch.otherTokens], token);
  const own = batch.transfers.filter((each) => each.token === token);
  const world: World = {
    ...plainWorld,
    operation: 'transfer',
    transfer: plainTransfer,
    seed,
    number,
    mint,
    amount: own.reduce((sum, { amount }) => sum + amount, 0n),
    senderTokenAccount,
    balance,
    options: {
      transactionVersion: version,
      ...(nonceState && { nonceAccount: { state: nonceState, sentLate: false } }),
    },
  };
  return world;
}
