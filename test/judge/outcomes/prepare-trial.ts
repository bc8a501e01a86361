import { type Address, lamports } from '@solana/kit';
import { validateTransferRequest } from '../../../packages/core/src/decide/validate-transfer-request.ts';
import { type Keypair, keypairFromName } from '../../../packages/sandbox/src/ledger/keypair.ts';
import { isTransferRefused, SimulationFailed } from '../../../packages/server/src/transfers/transfer-refused.ts';
import { addressOf, nameIn, systemProgram } from '../addresses.ts';
import { asksForMemo, totalOf } from '../asked.ts';
import type { Court } from '../court.ts';
import { drawWorld } from '../draw-world.ts';
import { freshReferences, type OptionsWorld } from '../options-world.ts';
import { Random } from '../random.ts';
import { priorityFeeText, requestOf } from '../request.ts';
import { type Situation, situate } from '../situation.ts';
import { account, writeTokenAccount } from '../token-account.ts';
import type { RecipientTokenAccount, TransferWorld, World } from '../world.ts';
import { writeWallets } from '../write-wallets.ts';
import { bodyOf, type PostedRequest } from './request-body.ts';
import { maxBytes, maxBytesOfVersion1 } from './wallet.ts';

/** A payment that can be built. */
interface Payable {
  situation: Situation;
  posted: PostedRequest;
  otherPayer: Keypair;
}

// The sender can pay it so many times.
const maxPayments = 200n;
const spareTokens = 1_000_000n;
// By which a twin may be larger: a reference, or a character of a memo.
const roomOfTwins = 40;
const tenSol = 10_000_000_000n;

/** Draws worlds until there is one whose transfer is built, and puts it on the ledger. */
export async function preparePayable(court: Court, seed: number, number: number): Promise<Payable> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const random = new Random(`splwright judge seed ${seed} history ${number} payment ${attempt}`);
    const prepared = await tryWorld(court, drawPayableWorld(seed, number, attempt, random));
    if (prepared) return prepared;
  }
  throw new Error('no world of so many can be built');
}

async function tryWorld(court: Court, world: Situation['world']): Promise<Payable | undefined> {
  const { ledger, reader, builder } = court;
  const situated = await situate(ledger, world);
  // Those of the judge are the same in every world; what is looked for is found by them.
  const references = situated.references.map((each, index) => ownReference(situated, each, index));
  const situation: Situation = { ...situated, references };
  writeWallets(ledger, situation, 0n);
  enrich(court, situation);
  const otherPayer = keypairFromName(nameIn(world, 'other payer'));
  ledger.setAccount(account(otherPayer.address, systemProgram, tenSol));
  const { options } = world;
  reader.recentPrices = options.priorityFee?.kind === 'level' ? options.priorityFee.recentPrices : [];
  const memo = asksForMemo(world) ? world.memo.text : undefined;
  const inputs = requestOf(situation, memo, priorityFeeText(options.priorityFee, undefined));
  const { request } = validateTransferRequest(inputs);
  if (!request) return undefined;
  try {
    const { bytes } = await builder.build(request, Number.POSITIVE_INFINITY);
    const limit = options.transactionVersion === 1 ? maxBytesOfVersion1 : maxBytes;
    if (bytes.length + roomOfTwins > limit) return undefined;
  } catch (error) {
    // A thaw that the gate program refuses is found by simulation.
    if (isTransferRefused(error) || error instanceof SimulationFailed) return undefined;
    throw error;
  }
  return { situation, posted: bodyOf(world.operation, inputs), otherPayer };
}

function ownReference({ world, sender, recipient, recipientTokenAccount }: Situation, given: Address, index: number) {
  const isOwn = given === sender || given === recipient || given === recipientTokenAccount;
  return isOwn ? given : addressOf(world, `reference ${index}`);
}

// Several payments shall be possible, and fees for all of them.
function enrich({ ledger }: Court, situation: Situation): void {
  const { world, sender, feePayer, senderTokenAccount } = situation;
  const mintWorld = world.mint;
  const amount = totalOf(world) * maxPayments + spareTokens;
  writeTokenAccount(ledger, { ...situation, address: senderTokenAccount, mintWorld, owner: sender, amount });
  for (const wallet of new Set([sender, feePayer])) {
    const found = ledger.getAccount(wallet);
    if (found) ledger.setAccount({ ...found, lamports: lamports(tenSol) });
  }
}

// Small enough for the sender to pay dozens of times.
const maxAmount = 2n ** 34n;

/** How many draws a world has until the service builds one. */
const maxAttempts = 64;

/**
 * Draws a transfer that the service most likely builds: a world of the judge's without what is odd about its wallets, balances
 * and token accounts. The mints, memos, splits, layouts and options are the judge's.
 */
function drawPayableWorld(seed: number, number: number, attempt: number, random: Random): World {
  const drawn = drawWorld(seed, number * maxAttempts + attempt);
  const { transfer } = drawn;
  const world: World = {
    ...drawn,
    mint: drawn.mint.kind === 'oddity' ? { kind: 'classic', decimals: 6 } : drawn.mint,
    amount: payableAmount(drawn.amount),
    memo: { text: random.pick(['', 'order 7 ', '漢 ']) + [...drawn.memo.text].slice(0, 40).join(''), costly: true },
    senderWallet: 'system',
    lamports: 'plenty',
    senderTokenAccount: 'open',
    balance: 'plenty',
    recipientWallet: drawn.recipientWallet === 'unfunded' ? 'unfunded' : 'funded',
    recipientTokenAccount: payableState(drawn),
    options: drawPayableOptions(random, drawn.options),
  };
  if (transfer) world.transfer = payableTransfer(transfer);
  return world;
}

function payableAmount(amount: bigint): bigint {
  return 1n + (amount % maxAmount);
}

function payableState({ operation, transfer, recipientTokenAccount: drawn }: World): RecipientTokenAccount {
  if (drawn === 'missing') return operation === 'create_transfer' || transfer ? 'missing' : 'open';
  return drawn === 'memo_required' ? drawn : 'open';
}

function payableTransfer(transfer: TransferWorld): TransferWorld {
  const { amountText, wraps: _, unwraps: __, ...others } = transfer;
  return {
    ...others,
    createTokenAccount: transfer.createTokenAccount === 'never' ? 'if_missing' : transfer.createTokenAccount,
    amountText: amountText === 'padded_decimal' || amountText === 'shortest_decimal' ? amountText : 'base_units',
    splits: transfer.splits.map((split) => {
      const { payee } = split;
      const amount = payableAmount(split.amount);
      if (payee.kind === 'other') return { amount, payee: { ...payee, wallet: 'funded', tokenAccount: 'open' } };
      return payee.kind === 'fee_payer' ? { amount, payee: { ...payee, tokenAccount: 'open' } } : { amount, payee };
    }),
  };
}

function drawPayableOptions(random: Random, asked: OptionsWorld): OptionsWorld {
  const { feePayer, priorityFee, nonceAccount: _, references: __, ...others } = asked;
  const options: OptionsWorld = { ...others, checks: 'full' };
  if (feePayer || random.chance(0.15)) options.feePayer = { wallet: 'wallet', lamports: 'plenty' };
  if (priorityFee?.kind === 'level' || priorityFee?.kind === 'none') options.priorityFee = priorityFee;
  if (priorityFee?.kind === 'price') options.priorityFee = { kind: 'price', price: random.pick([0n, 1n, 50_000n]) };
  if (random.chance(0.2)) {
    const state =
      options.feePayer && random.chance(0.5) ? 'of_fee_payer' : random.pick(['of_sender', 'of_another'] as const);
    options.nonceAccount = { state, sentLate: false };
  }
  if (random.chance(0.3)) {
    const known = random.pick(['recipient', 'recipient_token_account', 'sender'] as const);
    options.references = [
      ...(random.chance(0.2) ? [known] : []),
      ...freshReferences.slice(0, random.pick([1, 1, 1, 2, 3])),
    ];
  }
  return options;
}
