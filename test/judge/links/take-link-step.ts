import { address } from '@solana/kit';
import { toAddress } from '../../../packages/core/src/addresses/address.ts';
import { Work } from '../../../packages/server/src/app/work.ts';
import { UpstreamFault } from '../../../packages/server/src/chain/upstream-faults.ts';
import { inToken } from '../../../packages/server/src/links/records/payment-link.ts';
import { isAppError } from '../../../packages/server/src/problems.ts';
import { isTransferRefused } from '../../../packages/server/src/transfers/transfer-refused.ts';
import { type FeeInForce, writeTransferFees } from '../../setup/transfer-fees.ts';
import { linkTokens, otherAccountOf, sol } from '../other-mint.ts';
import { slotsToFinalize } from '../outcomes/cluster.ts';
import { readPayments } from '../outcomes/payment-reading.ts';
import { signChanged } from '../outcomes/wallet.ts';
import type { Situation } from '../situation.ts';
import { forge } from './forge.ts';
import { rightNow } from './judge-links.ts';
import { judgeCost, noteSponsored, rightOfSponsored } from './judge-sponsored.ts';
import { inEachToken, type KnownLink, type LandedAtFee, neededBy } from './ledger-says.ts';
import { balanceOf, type Payer } from './link-stage.ts';
import { count, feesOf, type LinkTrial, pass } from './link-trial.ts';
import type { LinkStep, PayerName } from './link-world.ts';
import { takeRefunds } from './take-refunds.ts';

const never = Number.POSITIVE_INFINITY;
const payerAgeMs = 1_500;
const msPerSlot = 400;
const maxSlots = 200;
const outliving = 410;
const neverEpoch = 1_000_000n;
// The others change a transfer of tokens.
const changesOfSol: ReadonlySet<string> = new Set([
  'compute_price',
  'blockhash',
  'fee_payer',
  'adds_memo',
  'drops_memo',
]);

/** Takes one step of a world of links, and judges what the services answer in it. */
export async function takeLinkStep(trial: LinkTrial, step: LinkStep): Promise<void> {
  switch (step.kind) {
    case 'take': {
      const link = linkOf(trial, step.link);
      const chosen = await inTokenOf(trial, link, payerOf(trial, step.payer), step.token);
      const taken = await take(trial, chosen, step.service);
      if (!taken) return;
      // A wallet leaves as it is what another has signed.
      const changes = chosen.link.mint === sol ? step.changes.filter((each) => changesOfSol.has(each)) : step.changes;
      const signed = sign(trial, taken, chosen, link.isSponsored ? [] : changes);
      if (step.isSent) send(trial, signed);
      else trial.pocket.push(signed);
      return;
    }
    case 'rush': {
      const link = linkOf(trial, step.link);
      pass(trial, payerAgeMs, 1);
      const [one, other] = step.payers.map((name) => payerOf(trial, name));
      if (!one || !other) return;
      const [token, otherToken] = step.tokens;
      const chosen = [await inTokenOf(trial, link, one, token), await inTokenOf(trial, link, other, otherToken)];
      const taken = await Promise.all(chosen.map((each, index) => request(trial, each, index)));
      for (const [index, each] of chosen.entries()) note(trial, each, taken[index]);
      const signed = chosen.flatMap((each, index) => {
        const bytes = judgeGiven(trial, each, taken[index]);
        return bytes ? [sign(trial, bytes, each, [])] : [];
      });
      for (const bytes of signed) send(trial, bytes);
      return;
    }
    case 'send':
      for (const bytes of trial.pocket.splice(0, 1)) send(trial, bytes);
      return;
    case 'refund':
      for (const bytes of await takeRefunds(trial, linkOf(trial, step.link), step)) {
        if (step.isSent) send(trial, bytes);
        else trial.pocket.push(bytes);
      }
      return;
    case 'forge':
      return forgeOne(trial, step);
    case 'fees':
      return changeFees(trial, step);
    case 'wait':
      return pass(trial, step.seconds * 1_000, Math.min(maxSlots, Math.ceil((step.seconds * 1_000) / msPerSlot)));
    case 'expire': {
      const ms = linkOf(trial, step.link).expiresAt + step.offsetMs - trial.stage.clock.now;
      if (ms > 0) pass(trial, ms, Math.min(maxSlots, Math.ceil(ms / msPerSlot)));
      if (step.sends) for (const bytes of trial.pocket.splice(0)) send(trial, bytes);
      return;
    }
    case 'finalize':
      return pass(trial, Number(slotsToFinalize + 1n) * msPerSlot, Number(slotsToFinalize + 1n));
    case 'outlive':
      return pass(trial, outliving * msPerSlot, outliving);
    case 'fork':
      return drop(trial);
    case 'cancel':
      return cancel(trial, linkOf(trial, step.link), step.service);
  }
}

function linkOf({ links }: LinkTrial, index: number): KnownLink {
  const link = links[index];
  if (!link) throw new Error('every world has two links');
  return link;
}

function payerOf({ payers }: LinkTrial, name: PayerName): Payer {
  const payer = payers.get(name);
  if (!payer) throw new Error(`there is no payer ${name}`);
  return payer;
}

/** A link in one of its tokens, a payer with its account of it, and where both are. */
export interface Chosen {
  link: KnownLink;
  payer: Payer;
  situation: Situation;
}

/** The link in the token with this index, or in its first one where it does not have so many. */
async function inTokenOf(trial: LinkTrial, own: KnownLink, payer: Payer, token: number): Promise<Chosen> {
  const { situation } = trial;
  const link = inEachToken(own)[token] ?? own;
  const other = linkTokens.find(({ mint }) => mint === link.mint);
  if (!other) return { link, payer, situation };
  const tokenAccount = await otherAccountOf(other, payer.keypair.address);
  const { mint, tokenProgram, mintWorld } = other;
  const world = { ...situation.world, mint: mintWorld };
  const ofToken = {
    mint,
    tokenProgram,
    decimals: mintWorld.decimals,
    recipientTokenAccount: address(link.destination),
  };
  return { link, payer: { ...payer, tokenAccount }, situation: { ...situation, world, ...ofToken } };
}

type Refusal = 'closed' | 'changed' | 'transfer' | 'upstream' | 'open' | 'limit' | 'fee';
type Given = { bytes: Uint8Array } | { refusal: Refusal };

async function take(trial: LinkTrial, chosen: Chosen, service: number): Promise<Uint8Array | undefined> {
  pass(trial, payerAgeMs, 1);
  const given = await request(trial, chosen, service);
  note(trial, chosen, given);
  const again = await request(trial, chosen, 1 - service);
  note(trial, chosen, again);
  if ('bytes' in given && 'bytes' in again && Buffer.compare(given.bytes, again.bytes) !== 0) {
    trial.disagreements.push('a second tap gets another transaction');
  }
  if (trial.world.isHonest && 'bytes' in given && !('bytes' in again)) {
    trial.disagreements.push(`a second tap gets ${again.refusal}`);
  }
  return judgeGiven(trial, chosen, given);
}

/** What a payer chooses to pay, in base units. */
function amountFor({ world, links }: LinkTrial, link: KnownLink): bigint {
  return link.minAmount + world.links[links[0]?.id === link.id ? 0 : 1].range / 2n;
}

function note(trial: LinkTrial, { link, payer }: Chosen, given: Given | undefined): void {
  if (!link.isSponsored || !given || !('bytes' in given)) return;
  noteSponsored(trial, askedOf(trial, { link, payer }), given.bytes);
}

function askedOf(trial: LinkTrial, { link, payer }: Pick<Chosen, 'link' | 'payer'>) {
  return { linkId: link.id, payer: payer.keypair.address, mint: link.mint, amount: amountFor(trial, link) };
}

async function request(trial: LinkTrial, { link, payer }: Chosen, index: number): Promise<Given> {
  const service = trial.stage.services[index === 0 ? 0 : 1];
  const wish = trial.world.links[trial.links[0]?.id === link.id ? 0 : 1];
  const amount = wish.range > 0n ? amountFor(trial, link) : undefined;
  try {
    const found = await service.find(link.id);
    if (!found) throw new Error('a link is not found');
    const inChosen = { ...found, link: inToken(found.link, link.mint) ?? found.link };
    const account = toAddress(payer.keypair.address);
    const given = await service.pay(inChosen, account, amount, new Work({ owner: payer.name }));
    return { bytes: given.transaction };
  } catch (error) {
    if (isAppError(error, 'payment_link_closed')) return { refusal: 'closed' };
    if (isAppError(error, 'payment_link_changed')) return { refusal: 'changed' };
    if (isAppError(error, 'sponsored_payment_open')) return { refusal: 'open' };
    if (isAppError(error, 'daily_limit_reached')) return { refusal: 'limit' };
    if (isAppError(error, 'sponsor_fee_too_high')) return { refusal: 'fee' };
    if (isTransferRefused(error)) return { refusal: 'transfer' };
    if (error instanceof UpstreamFault) return { refusal: 'upstream' };
    throw error;
  }
}

function judgeGiven(trial: LinkTrial, { link, payer }: Chosen, given: Given | undefined): Uint8Array | undefined {
  if (!given) return undefined;
  const { stage, world, links, disagreements } = trial;
  const amount = amountFor(trial, link);
  const fee = link.isSponsored ? world.sponsor.fee : 0n;
  const said = 'bytes' in given ? 'a transaction' : given.refusal;
  count(trial, `${link.isSponsored ? 'sponsored ' : ''}payer gets ${said}`);
  trial.log.push(`${payer.name} gets ${said}`);
  const { states } = rightNow(trial, links.find(({ id }) => id === link.id) ?? link);
  const hasLamports = link.isSponsored || payer.name !== 'without_lamports';
  const { ledger } = stage.court;
  // A link in wrapped SOL wraps what is missing, of payers who have ten SOL, unless a sponsor pays.
  const wraps = trial.situation.world.mint.kind === 'native' && link.mint === trial.situation.mint && !link.isSponsored;
  const paysSol = wraps || link.mint === sol;
  const canPay = hasLamports && (paysSol || balanceOf(ledger, payer.tokenAccount) >= amount + fee);
  const isFrozen = trial.settled.has(link.id);
  const right: string[] = [];
  if (states.includes('open') && !isFrozen) {
    const plain = [canPay ? 'a transaction' : 'transfer'];
    right.push(...(link.isSponsored ? rightOfSponsored(trial, askedOf(trial, { link, payer }), canPay) : plain));
  }
  // A mint that withholds more than the link reckons with keeps its payers away.
  if (states.includes('open') && !isFrozen && trial.feesChanged) right.push('transfer', 'changed');
  if (states.some((state) => state !== 'open') || isFrozen) right.push('closed');
  if (world.isHonest && !right.includes(said)) {
    disagreements.push(`${payer.name} gets ${said}, where ${right.join(' or ')} is right`);
  }
  if (!('bytes' in given)) return undefined;
  const { transfers: ofTokens, solTransfers } = readPayments(given.bytes);
  const transfers = link.mint === sol ? solTransfers : ofTokens;
  const transfer = transfers.at(-1);
  const paid = transfers.slice(0, -1).map((each) => (each.mint === link.mint ? each.amount : -1n));
  const isRight =
    paid.join() === (fee > 0n ? `${fee}` : '') &&
    transfer?.amount === amount &&
    transfer.destination === link.destination &&
    transfer.mint === link.mint &&
    transfer.authority === payer.keypair.address &&
    transfer.inOrder.some((each) => each === link.reference);
  if (!isRight) disagreements.push('the transaction that a payer gets does not pay the link');
  return given.bytes;
}

function sign(
  trial: LinkTrial,
  bytes: Uint8Array,
  { link, payer, situation }: Chosen,
  changes: Parameters<typeof signChanged>[1],
): Uint8Array {
  const { otherPayer, stage } = trial;
  const own = {
    ...situation,
    nonceAccount: undefined,
    references: [address(link.reference)],
    signers: [payer.keypair],
    sender: payer.keypair.address,
    senderTokenAccount: payer.tokenAccount,
  };
  const blockhash = stage.court.ledger.latestBlockhash();
  return signChanged(bytes, changes, { situation: own, otherPayer, blockhash }).bytes;
}

function send(trial: LinkTrial, bytes: Uint8Array): void {
  const { cluster, clock } = trial.stage;
  const { landed, error, signature } = cluster.send(bytes);
  // More time passes than blocks do.
  const blockTime = BigInt(Math.floor(clock.now / 1_000));
  const [fee] = feesNow(trial);
  cluster.landed = cluster.landed.map((each): LandedAtFee => {
    return each.record.signature === signature && landed
      ? { ...each, fee, record: { ...each.record, blockTime } }
      : each;
  });
  const end = !landed ? 'refused' : error === null ? 'landed' : 'failed';
  if (landed) for (const each of cluster.landed.slice(-1)) judgeCost(trial, each);
  count(trial, `chain ${end}`);
  trial.log.push(`sent: ${end} ${signature} ${JSON.stringify(error)}`);
}

async function forgeOne(
  trial: LinkTrial,
  { link: index, token, forgery, version, extra, shape }: Extract<LinkStep, { kind: 'forge' }>,
): Promise<void> {
  const { stage, links, other, random } = trial;
  const own = linkOf(trial, index);
  const isFromRich = forgery === 'other_mint' || forgery === 'in_two_tokens' || random.chance(0.5);
  const [name, otherName] = isFromRich ? (['rich', 'second'] as const) : (['second', 'rich'] as const);
  const { link, payer, situation } = await inTokenOf(trial, own, payerOf(trial, name), token);
  const elsewhere = (await inTokenOf(trial, own, payerOf(trial, otherName), token)).payer.tokenAccount;
  const strangers = inEachToken(linkOf(trial, 1 - index));
  const stranger = strangers.find(({ mint }) => mint === link.mint) ?? linkOf(trial, 1 - index);
  const isOfWorld = link.mint === trial.situation.mint;
  const bytes = forge(stage.court.ledger, forgery, {
    situation,
    payer,
    amount: link.minAmount,
    least: neededBy(link),
    otherAmount: stranger.minAmount,
    shape,
    feeInForce: isOfWorld ? feesNow(trial)[0] : link.fees[0],
    taker: isOfWorld ? trial.taker : trial.recipient,
    references: [address(link.reference), address(stranger.reference)],
    elsewhere,
    other,
    version,
    extra: extra + 100 * links.indexOf(own) + 1_000 * trial.log.length,
  });
  count(trial, `forged ${forgery}`);
  send(trial, bytes);
  pass(trial, msPerSlot, 1);
}

/** What the mint withholds now, and what it will. */
function feesNow({ stage: { court }, situation }: LinkTrial): readonly FeeInForce[] {
  return feesOf(court.ledger, situation);
}

function changeFees(trial: LinkTrial, step: Extract<LinkStep, { kind: 'fees' }>): void {
  if (feesNow(trial).length === 0) return;
  const { basisPoints, maximum, scheduled } = step;
  writeTransferFees(trial.stage.court.ledger, trial.situation.mint, {
    now: { basisPoints, maximum },
    ...(scheduled !== undefined && { later: { basisPoints: scheduled, fromEpoch: neverEpoch } }),
  });
  trial.feesChanged = true;
  count(trial, 'fees changed');
}

/** A fork drops the newest transaction, unless that is final. */
function drop(trial: LinkTrial): void {
  const { cluster } = trial.stage;
  const newest = cluster.landed.at(-1);
  if (!newest || newest.record.slot <= cluster.tip - slotsToFinalize) return;
  cluster.landed = cluster.landed.slice(0, -1);
  trial.dropped.push(newest);
  count(trial, 'dropped');
  trial.log.push(`dropped ${newest.record.signature}`);
}

async function cancel(trial: LinkTrial, link: KnownLink, index: number): Promise<void> {
  const { stage, world, disagreements } = trial;
  pass(trial, payerAgeMs, 1);
  const { states } = rightNow(trial, link);
  const isFrozen = trial.settled.has(link.id);
  try {
    const view = await stage.services[index === 0 ? 0 : 1].cancel(link.id, never);
    const cancelledAt = view?.link.cancelledAt;
    if (cancelledAt && link.cancelledAt === undefined) {
      link.cancelledAt = cancelledAt.getTime();
      count(trial, 'cancelled');
      if (world.isHonest && !isFrozen && !states.includes('open')) disagreements.push('a closed link was canceled');
    }
    if (world.isHonest && states.join() === 'paid') disagreements.push('a paid link was canceled');
  } catch (error) {
    if (!isAppError(error, 'payment_link_paid')) throw error;
    count(trial, 'not canceled');
    if (world.isHonest && !states.includes('paid')) disagreements.push('a link that is not paid could not be canceled');
  }
}
