import { address } from '@solana/kit';
import { type FeeInForce, withheldBy } from '../../setup/transfer-fees.ts';
import { sol } from '../other-mint.ts';
import type { Cluster, Landed } from '../outcomes/cluster.ts';
import { slotsToFinalize } from '../outcomes/cluster.ts';
import type { Execution, Move } from '../outcomes/execution.ts';

/** What the judge knows of a link: what was asked for, and where it is paid. */
export interface KnownLink {
  id: string;
  reference: string;
  destination: string;
  recipient: string;
  mint: string;
  minAmount: bigint;
  /** What the mint may withhold, as it was when the link was made. */
  fees: readonly FeeInForce[];
  isSingleUse: boolean;
  isSponsored: boolean;
  expiresAt: number;
  cancelledAt: number | undefined;
  /** The other tokens that it accepts, whose fees never change. */
  others: readonly KnownToken[];
}

/** A token that a link accepts. */
export interface KnownToken extends Pick<KnownLink, 'destination' | 'mint' | 'minAmount' | 'fees'> {
  hasFixedFee: true;
}

/** A link in each of its tokens, beginning with that of its world. */
export function inEachToken(link: KnownLink): readonly (KnownLink & Partial<KnownToken>)[] {
  return [link, ...link.others.map((token) => ({ ...link, ...token }))];
}

/** A transaction on the chain, and the fee of the links' mint when it landed. */
export type LandedAtFee = Landed & { fee?: FeeInForce | undefined };

/** A transaction that names a link, as the ledger executed it. */
export interface TruePayment {
  signature: string;
  slot: bigint;
  /** The token that it pays in. */
  mint: string;
  /** The same in each token of the link. */
  inTokens: readonly Omit<TruePayment, 'inTokens'>[];
  /** Whether it pays the link: by what was sent with its reference, and by what its token account holds more. */
  counts: boolean;
  /** By how much more the recipient's own token account held of what was sent there, what other links take included. */
  arrived: bigint;
  /** Whether nothing else is paid for: no other link of the world, and nothing without a reference. */
  isAlone: boolean;
  /** Of the only transfer there is, when it carries the reference. */
  payer: string | undefined;
  amount: bigint | undefined;
  isFinal: boolean;
  /** Milliseconds since the Unix epoch. */
  landedAt: number;
}

/** What the ledger says was paid to a link by these transactions, the oldest first. Nothing of the service's is used. */
export function paymentsTo(
  link: KnownLink,
  links: readonly KnownLink[],
  landed: readonly LandedAtFee[],
  cluster: Cluster,
): TruePayment[] {
  const all = links.flatMap(inEachToken);
  return landed.flatMap((each) => {
    if (each.record.error !== null || !names(each, link)) return [];
    const inTokens = inEachToken(link).map((one) => paymentOf(one, all, each, cluster));
    const paid = inTokens.filter(({ arrived }) => arrived > 0n);
    const [best] = [...paid.filter(({ counts }) => counts), ...paid, ...inTokens];
    return best ? [{ ...best, isAlone: best.isAlone && paid.length <= 1, inTokens }] : [];
  });
}

function paymentOf(
  link: KnownLink & Partial<KnownToken>,
  links: readonly (KnownLink & Partial<KnownToken>)[],
  landed: LandedAtFee,
  cluster: Cluster,
): Omit<TruePayment, 'inTokens'> {
  const { record, execution } = landed;
  const fee = link.hasFixedFee ? link.fees[0] : landed.fee;
  const there = movesTo(link, landed);
  const back = movesOf(link, execution).filter(
    ({ source, destination }) => source === link.destination && destination !== source,
  );
  const sharing = links
    .filter((each) => each.destination === link.destination && there.some((move) => carries(move, each)))
    .toSorted((one, other) => placeOf(landed, one) - placeOf(landed, other));
  const unrelated = there.filter((move) => !sharing.some((each) => carries(move, each)));
  const sent = sumOf(there) - sumOf(back);
  const increase = arrivedAt(link, landed);
  const arrived = increase < sent ? increase : sent > 0n ? sent : 0n;
  // What pays for something else comes first, with the fee of its own.
  let sentLeft = sent - sumOf(unrelated);
  let left = arrived - unrelated.reduce((sum, { amount }) => sum + amount - withheldFrom(amount, fee), 0n);
  let counts = false;
  let withheld = sent - arrived;
  for (const each of sharing) {
    const isPaid = sentLeft >= each.minAmount && left >= neededBy(each);
    if (each.id === link.id) counts = isPaid;
    // From one that is not paid, all was withheld that was withheld; one that is paid has what it needs, though the fee was raised since.
    const rest = each.minAmount - (isPaid ? withheldFrom(each.minAmount, fee) : withheld);
    const taken = isPaid && rest < neededBy(each) ? neededBy(each) : rest;
    sentLeft -= each.minAmount;
    left -= taken > left ? left : taken > 0n ? taken : 0n;
    withheld -= each.minAmount - taken;
  }
  const [only, ...others] = movesOf(link, execution);
  const isCarried = only !== undefined && others.length === 0 && only.others.some((each) => each === link.reference);
  return {
    signature: record.signature,
    slot: record.slot,
    mint: link.mint,
    counts,
    arrived,
    isAlone: sharing.length === 1 && sharing[0]?.id === link.id && unrelated.length === 0,
    payer: isCarried ? only.authority : undefined,
    amount: isCarried ? only.amount : undefined,
    isFinal: record.slot <= cluster.tip - slotsToFinalize,
    landedAt: Number(record.blockTime) * 1_000,
  };
}

/** The transfers of tokens, or those of SOL where that is paid. */
function movesOf({ mint }: Pick<KnownLink, 'mint'>, { moves, lamportMoves }: Execution): readonly Move[] {
  return mint === sol ? lamportMoves : moves;
}

/** The transfers to the account of a link, and those of SOL to it where it holds wrapped SOL. */
function movesTo({ destination, mint }: KnownLink, { execution }: Landed): readonly Move[] {
  const wraps = wrappedSol.has(mint) ? execution.lamportMoves : [];
  return [...movesOf({ mint }, execution), ...wraps].filter((move) => {
    return move.destination === destination && move.source !== destination && (move.mint ?? mint) === mint;
  });
}

const wrappedSol: ReadonlySet<string> = new Set([
  'So11111111111111111111111111111111111111112',
  '9pan9bMn5HatX4EJdBwg9VgCa7Uz5HL8N1m5D3NdXejP',
]);

function carries({ others, around }: Move, { reference }: KnownLink): boolean {
  return [...others, ...around].some((each) => each === reference);
}

function sumOf(moves: readonly Move[]): bigint {
  return moves.reduce((sum, { amount }) => sum + amount, 0n);
}

/** What the mint withheld of a transfer at that time. */
function withheldFrom(amount: bigint, fee: FeeInForce | undefined): bigint {
  return fee ? withheldBy(fee, amount) : 0n;
}

function names({ record }: Landed, { reference }: KnownLink): boolean {
  return record.addresses.some((each) => each === reference);
}

/** Where a transaction names a link first: by its instructions, and those that none of them names after them. */
function placeOf({ record, execution }: Landed, { reference }: KnownLink): number {
  const all: readonly string[] = [...execution.named, ...record.addresses];
  return all.indexOf(reference);
}

/** By how much more the recipient's own account of the mint held after a transaction, by the ledger's accounts. */
function arrivedAt({ destination, recipient, mint }: KnownLink, { held }: Landed): bigint {
  const { before, after } = held.get(address(destination)) ?? {};
  if (after?.owner !== recipient || after.mint !== mint) return 0n;
  const more = after.amount - (before?.mint === mint ? before.amount : 0n);
  return more > 0n ? more : 0n;
}

/** What must be there more for a link to be paid: the amount less the largest fee that was known; at least something. */
export function neededBy({ minAmount, fees }: KnownLink): bigint {
  const withheld = fees.map((fee) => withheldBy(fee, minAmount));
  const most = withheld.reduce((largest, each) => (each > largest ? each : largest), 0n);
  return minAmount > most ? minAmount - most : 1n;
}

/** By how much a transaction changed what a watched token account holds. */
export function changeOf({ held }: Landed, account: string): bigint {
  const { before, after } = held.get(address(account)) ?? {};
  return (after?.amount ?? 0n) - (before?.amount ?? 0n);
}

/** The states that are right now: more than one while a fork has dropped a payment and that is not final. */
export function rightStates(
  link: KnownLink,
  truth: readonly TruePayment[],
  limbo: readonly TruePayment[],
  now: number,
): readonly string[] {
  const { cancelledAt, expiresAt } = link;
  const isCancelled = cancelledAt !== undefined && cancelledAt < expiresAt;
  const unpaid = isCancelled ? 'cancelled' : now >= expiresAt ? 'expired' : 'open';
  if (!link.isSingleUse) return [unpaid];
  if (truth.some(({ counts }) => counts)) return ['paid'];
  return limbo.some(({ counts }) => counts) ? ['paid', unpaid] : [unpaid];
}
