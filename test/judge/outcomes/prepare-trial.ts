import { type Address, lamports } from '@solana/kit';
import { validateTransferRequest } from '../../../packages/core/src/decide/validate-transfer-request.ts';
import { type Keypair, keypairFromName } from '../../../packages/sandbox/src/ledger/keypair.ts';
import { isTransferRefused } from '../../../packages/server/src/build/transfer-refused.ts';
import { addressOf, nameIn, systemProgram } from '../addresses.ts';
import { asksForMemo, totalOf } from '../asked.ts';
import type { Court } from '../court.ts';
import { Random } from '../random.ts';
import { priorityFeeText, requestOf } from '../request.ts';
import { type Situation, situate } from '../situation.ts';
import { account, writeTokenAccount } from '../token-account.ts';
import { writeWallets } from '../write-wallets.ts';
import { drawPayableWorld, maxAttempts } from './payable-world.ts';
import { bodyOf, type PostedRequest } from './request-body.ts';
import { maxBytes, maxBytesOfVersion1 } from './wallet.ts';

/** A payment that can be built. */
export interface Payable {
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
    if (isTransferRefused(error)) return undefined;
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
