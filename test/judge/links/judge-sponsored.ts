import { type Address, address, lamports } from '@solana/kit';
import { findAssociatedTokenPda } from '@solana-program/token-2022';
import type { Ledger } from '../../../packages/sandbox/src/index.ts';
import { utcDayOf } from '../../../packages/server/src/keys/usage/daily-amounts.ts';
import { systemProgram } from '../addresses.ts';
import { otherTokens, writeOtherAccount } from '../other-mint.ts';
import { type Landed, slotsToFinalize } from '../outcomes/cluster.ts';
import { readPayments } from '../outcomes/payment-reading.ts';
import type { Situation } from '../situation.ts';
import { account, creationRentOf, writeTokenAccount } from '../token-account.ts';
import { readTransaction } from '../transaction.ts';
import type { MintWorld } from '../world.ts';
import { type LinkStage, sponsorPaidAt } from './link-stage.ts';
import { count, type LinkTrial } from './link-trial.ts';
import type { SponsorWish } from './link-world.ts';

/** A payment that a payer was given with the signature of the sponsor. */
export interface SponsoredPayment {
  linkId: string;
  payer: Address;
  mint: string;
  /** Base units. */
  amount: bigint;
  bytes: Uint8Array;
  signature: string;
  blockhash: string;
  /** On which it was given, in UTC. */
  day: string;
}

/** Who asks for which payment. */
type Asked = Pick<SponsoredPayment, 'linkId' | 'payer' | 'mint' | 'amount'>;

/** What a payment with one more signature than that of its payer costs. */
const networkFee = 10_000n;
const tenSol = 10_000_000_000n;
// The terms of the sponsor are kept for half a minute.
const termsMaxAgeMs = 30_000;

/** Has the sponsor of a stage sign by what is drawn for a world, and gives it SOL and accounts for its fees. */
export async function beginSponsor(stage: LinkStage, wish: SponsorWish, situation: Situation): Promise<void> {
  const { kora, key, clock, court } = stage;
  kora.rules.price = wish.fee === 0n ? { type: 'free' } : { type: 'fixed', amount: Number(wish.fee) };
  clock.elapsed += termsMaxAgeMs;
  const { world } = situation;
  key.id = `key of seed ${world.seed} world ${world.number}`;
  key.sponsorsRent = wish.paysRent;
  key.sponsoredLamportsPerDay = wish.maxPerDay === null ? null : networkFee * wish.maxPerDay + 1n;
  await writeSponsor(court.ledger, address(kora.address), situation);
}

async function writeSponsor(ledger: Ledger, sponsor: Address, { mint, tokenProgram, world }: Situation): Promise<void> {
  ledger.setAccount(account(sponsor, systemProgram, lamports(tenSol)));
  const [own] = await findAssociatedTokenPda({ owner: sponsorPaidAt, mint, tokenProgram });
  const ofWorld = { address: own, tokenProgram, mint, mintWorld: world.mint, owner: sponsorPaidAt, amount: 0n };
  writeTokenAccount(ledger, ofWorld);
  for (const token of otherTokens) await writeOtherAccount(ledger, token, sponsorPaidAt, 0n);
}

/** Notes a payment that a payer was given, and says where it may not be given. */
export function noteSponsored(trial: LinkTrial, asked: Asked, bytes: Uint8Array): void {
  const { stage, world, sponsored, disagreements } = trial;
  const fault = (text: string): void => {
    disagreements.push(`a sponsored payment ${text}`);
  };
  const known = sponsored.find((each) => Buffer.compare(each.bytes, bytes) === 0);
  if (known) {
    count(trial, 'sponsored: the same bytes again');
    if (!isAlive(trial, known)) fault('is given again that can never land');
    if (world.isHonest && hasLanded(trial, known)) fault('is given again that has landed');
    return;
  }
  const { signature, lifetimeToken: blockhash } = readPayments(bytes);
  const [[feePayer, signed] = [], ...others] = Object.entries(readTransaction(bytes).signatures);
  const isSigned = feePayer === stage.kora.address && signed != null && others.every(([, each]) => each === null);
  if (!signature || !isSigned) {
    fault('is not signed by the sponsor alone');
    return;
  }
  // A fork may drop what has landed: then both can land, and the payer has asked for both.
  const isDropped = (each: SponsoredPayment): boolean =>
    trial.dropped.some(({ record }) => record.signature === each.signature);
  if (openPayments(trial, asked).some((each) => !isDropped(each))) fault('is given beside another that can land');
  const day = utcDayOf(stage.clock.now);
  sponsored.push({ ...asked, bytes, signature, blockhash, day });
  const limit = stage.key.sponsoredLamportsPerDay;
  if (limit !== null && spentOn(trial, day) > limit) fault('costs more than its key may spend in a day');
}

/** Whether two transfers are too large for one transaction: each names 11 or more accounts of its own for the hook. */
function isTooLargeTwice(mint: MintWorld): boolean {
  const hooks = mint.kind === 'token_2022' ? mint.extensions : [];
  return hooks.some((each) => each.kind === 'transfer_hook' && /^most_extras_of_(five|nine)_seeds$/.test(each.hook));
}

/** Which answers to a payer of an open link are right, once what it was given is noted. */
export function rightOfSponsored(trial: LinkTrial, asked: Asked, canPay: boolean): readonly string[] {
  const { world, stage } = trial;
  const { fee, maxFee } = world.sponsor;
  if (fee > 0n && asked.mint === trial.situation.mint && isTooLargeTwice(trial.situation.world.mint))
    return ['transfer'];
  const limit = stage.key.sponsoredLamportsPerDay;
  const isOver = limit !== null && spentOn(trial, utcDayOf(stage.clock.now)) + networkFee > limit;
  const anew = fee > maxFee ? ['fee'] : isOver ? ['limit'] : ['a transaction'];
  const paying = (answers: readonly string[]): readonly string[] => (canPay ? answers : ['transfer']);
  const rightAmong = (open: readonly SponsoredPayment[]): readonly string[] => {
    if (open.length === 0) return canPay ? anew : ['transfer', ...(fee > maxFee ? anew : [])];
    return open.flatMap((each) => {
      const isSame = each.mint === asked.mint && each.amount === asked.amount;
      return isSame ? paying(['a transaction']) : ['open'];
    });
  };
  const open = openPayments(trial, asked);
  // What a fork has just dropped counts as landed for a service that does not know it yet.
  const surely = open.filter((each) => !isInLimbo(trial, each));
  return [...rightAmong(open), ...rightAmong(surely)];
}

/** Says where what has landed cost the sponsor something else than the fee and the rent that it may pay, or its payer any SOL. */
export function judgeCost(trial: LinkTrial, { record }: Landed): void {
  const { stage, world, sponsored, disagreements, situation } = trial;
  const given = sponsored.find(({ signature }) => signature === record.signature);
  if (!given) return;
  const { addresses, preBalances, postBalances, fee, error } = record;
  const changeOf = (wallet: Address): bigint => {
    const index = addresses.indexOf(wallet);
    return (postBalances[index] ?? 0n) - (preBalances[index] ?? 0n);
  };
  const isCreated = error === null && addresses.some((_, index) => preBalances[index] === 0n && postBalances[index]);
  const other = otherTokens.find(({ mint }) => mint === given.mint);
  const { tokenProgram, mintWorld } = other ?? { ...situation, mintWorld: situation.world.mint };
  const rent = isCreated ? creationRentOf(stage.court.ledger, mintWorld, tokenProgram) : 0n;
  count(trial, isCreated ? 'sponsor pays rent' : 'sponsor pays');
  const cost = -changeOf(address(stage.kora.address));
  if (fee !== networkFee || cost !== fee + rent) disagreements.push(`the sponsor has paid ${cost}, not ${fee + rent}`);
  if (isCreated && !world.sponsor.paysRent) disagreements.push('the sponsor has paid rent that it may not');
  if (changeOf(given.payer) !== 0n) disagreements.push('the payer of a sponsored payment has paid SOL');
}

/** What a payer of a link was given that can land and has not. */
function openPayments(trial: LinkTrial, { linkId, payer }: Asked): readonly SponsoredPayment[] {
  return trial.sponsored.filter((each) => {
    return each.linkId === linkId && each.payer === payer && isAlive(trial, each) && !hasLanded(trial, each);
  });
}

function isAlive({ stage }: LinkTrial, { blockhash }: SponsoredPayment): boolean {
  return stage.court.ledger.isBlockhashValid(blockhash);
}

function hasLanded({ stage }: LinkTrial, { signature }: SponsoredPayment): boolean {
  return stage.cluster.landed.some(({ record }) => record.signature === signature && record.error === null);
}

function isInLimbo({ stage, dropped }: LinkTrial, { signature }: SponsoredPayment): boolean {
  const { tip } = stage.cluster;
  return dropped.some(({ record }) => record.signature === signature && record.slot > tip - slotsToFinalize);
}

function spentOn({ sponsored }: LinkTrial, today: string): bigint {
  return BigInt(sponsored.filter(({ day }) => day === today).length) * networkFee;
}
