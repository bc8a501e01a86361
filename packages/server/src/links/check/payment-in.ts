import {
  type Address,
  changeOf,
  contentOfSol,
  type Instruction,
  isTokenProgram,
  isWrappedSol,
  type LandedContent,
  type LandedTransfer,
  leastReceived,
  sol,
  type TokenBalances,
} from 'splwright-core';
import type { LandedTransaction } from '../../chain/chain-history.ts';
import { CannotTell } from '../../outcomes/node-answer.ts';
import { inEachToken, type LinkPayment, type PaymentLink } from '../records/payment-link.ts';

/** A payment apart from how certain it is. */
export type SeenPayment = Omit<LinkPayment, 'signature' | 'commitment'>;

/** Returns the links whose references are among some addresses, as the store's `findByReferences`. */
export type FindLinks = (references: readonly Address[]) => Promise<readonly PaymentLink[]>;

// The most telling first.
const flawsByRank: readonly SeenPayment['flaw'][] = [
  ...([undefined, 'not_shown', 'too_little', 'other_link', 'nothing_stayed'] as const),
  ...(['elsewhere', 'other_mint', 'no_transfer'] as const),
];

/**
 * Returns what a landed, successful transaction that names the reference of a link paid to it, in the token of the link that it pays in.
 *
 * Throws a `CannotTell` when the transaction cannot be read.
 */
export async function paymentIn(
  link: PaymentLink,
  landed: LandedTransaction,
  findLinks: FindLinks,
): Promise<SeenPayment> {
  const inTokens = await Promise.all(
    inEachToken(link).map(async (each) => ({ ...(await paymentInToken(each, landed, findLinks)), mint: each.mint })),
  );
  const rankOf = ({ flaw }: SeenPayment): number => flawsByRank.indexOf(flaw);
  const best = inTokens.reduce((one, other) => (rankOf(other) < rankOf(one) ? other : one));
  const feePayer = landed.content?.feePayer;
  return feePayer === best.payer ? best : { ...best, feePayer };
}

/**
 * Returns what a transaction paid to a link in the token that the link is given in.
 *
 * Only transfers to the recipient's token account (of SOL: the recipient) that carry the reference pay the link, in whatever form and
 * by whatever program, or SOL that is sent there and wrapped. It counts when the amount was sent, and as much arrived, less what the mint withheld and
 * was known to withhold when the link was made. Links whose references are carried together share what arrived, in the order of
 * their references: each takes what it asks for, or what was sent for it, and the last one takes the rest.
 */
async function paymentInToken(
  link: PaymentLink,
  landed: LandedTransaction,
  findLinks: FindLinks,
): Promise<Omit<SeenPayment, 'mint'>> {
  const { slot, blockTime } = landed;
  if (!landed.content?.named.has(link.reference)) throw new CannotTell('history_not_available');
  const isSol = link.mint === sol;
  const content = isSol ? contentOfSol(landed.content) : landed.content;
  const shown = isSol ? landed.lamportBalances : landed.balances;
  const paying = transfersTo(link, content);
  const links = await linksSharing(link, content, paying, findLinks);
  const own = ownTransfers(link, paying, links);
  const carrying = paying.filter((transfer) => carries(transfer, link));
  const sending = [own, carrying, paying].find(({ length }) => length > 0) ?? [];
  const sent = sentBy(sending, content);
  const seen = { slot, blockTime, owner: ownerOf(sending, content, shown), ...sent };
  if (!shown && mayHavePaid(link, content, paying)) return { ...seen, received: 0n, flaw: 'not_shown' };
  const balances: TokenBalances = shown ?? new Map();
  const increase = increaseOf(link, balances);
  const back = content.transfers.filter((each) => each.source === link.destination && each.destination !== each.source);
  const sentThere = sumOf(paying) - sumOf(back);
  const { received, needed } = shareOf(link, { links, paying, sentThere, increase });
  const isEnough = received >= needed;
  // A program may have paid it by a call that the node did not keep.
  if (!isEnough && !content.hasCalls && increase > 0n && increase >= leastOf(link, link.minAmount, link.minAmount)) {
    return { ...seen, received: 0n, flaw: 'not_shown' };
  }
  if (received > 0n) {
    const amount = own.length > 0 && sent.amount > received ? sent.amount : received;
    return { ...seen, amount, received, flaw: isEnough ? undefined : 'too_little' };
  }
  const { transfers, flaw } = flawOf(link, content, { paying, hasArrived: increase > 0n && sentThere > 0n });
  const [first] = transfers;
  const change = first && (flaw === 'elsewhere' || flaw === 'other_mint') ? changeOf(balances, first.destination) : 0n;
  return { ...seen, ...sentBy(transfers, content), received: change > 0n ? change : 0n, flaw };
}

/** The transfers to the token account of a link, and those of SOL that may be wrapped there. */
function transfersTo(link: PaymentLink, { transfers, lamportTransfers }: LandedContent): readonly LandedTransfer[] {
  const wraps = isWrappedSol(link.mint) ? lamportTransfers : [];
  return [...transfers, ...wraps].filter(({ mint, tokenProgram, source, destination }) => {
    if (destination !== link.destination || source === destination) return false;
    return mint === undefined || (mint === link.mint && tokenProgram === link.tokenProgram);
  });
}

/**
 * Whether a transaction without balances may have paid a link.
 *
 * Only what proves that the recipient's token account is there counts, so that nobody can make a transaction that no node ever
 * shows: a transfer of lamports to its address does not, unless they were synced.
 */
function mayHavePaid(
  { destination }: PaymentLink,
  { transfers, instructions, hasCalls, named }: LandedContent,
  paying: readonly LandedTransfer[],
): boolean {
  if (!hasCalls) return named.has(destination);
  const wraps = ({ program, accounts: [first] }: Instruction): boolean =>
    isTokenProgram(program) && first?.address === destination;
  return paying.some((transfer) => transfers.includes(transfer)) || instructions.some(wraps);
}

/** Returns the increase of the recipient's token account, or of its SOL; zero if it has another owner or mint now. */
function increaseOf({ destination, mint, recipient }: PaymentLink, balances: TokenBalances): bigint {
  const balance = balances.get(destination);
  if (balance?.mint !== mint || (balance.owner !== undefined && balance.owner !== recipient)) return 0n;
  const change = balance.after - balance.before;
  return change > 0n ? change : 0n;
}

/** The links to the same token account whose references its transfers carry, in the order of the references. */
async function linksSharing(
  link: PaymentLink,
  content: LandedContent,
  paying: readonly LandedTransfer[],
  findLinks: FindLinks,
): Promise<readonly PaymentLink[]> {
  const named = [...content.named];
  const own = new Set<Address>([link.reference, link.destination, link.mint, link.tokenProgram, link.recipient]);
  const carried = new Set(paying.flatMap(({ references, handed }) => [...references, ...handed]));
  const found = await findLinks([...carried].filter((address) => !own.has(address)));
  const sharing = found.flatMap(inEachToken).filter(({ destination, reference }) => {
    return destination === link.destination && reference !== link.reference;
  });
  return [...(carried.has(link.reference) ? [link] : []), ...sharing].toSorted(
    (one, other) => named.indexOf(one.reference) - named.indexOf(other.reference),
  );
}

// Named elsewhere in a transaction, a reference would let a payer settle a second link with one payment.
function carries({ references, handed }: LandedTransfer, { reference }: PaymentLink): boolean {
  return references.includes(reference) || handed.includes(reference);
}

/** The transfers that carry the reference of a link, and of no other. */
function ownTransfers(
  link: PaymentLink,
  transfers: readonly LandedTransfer[],
  links: readonly PaymentLink[],
): readonly LandedTransfer[] {
  return transfers.filter((transfer) => {
    return carries(transfer, link) && links.every((other) => other === link || !carries(transfer, other));
  });
}

/** Returns the link's part of what arrived, and what it needs to be paid. `sentThere`: less what was taken back. */
function shareOf(
  link: PaymentLink,
  {
    links,
    paying,
    sentThere,
    increase,
  }: { links: readonly PaymentLink[]; paying: readonly LandedTransfer[]; sentThere: bigint; increase: bigint },
): { received: bigint; needed: bigint } {
  // More than was sent has not arrived: lamports that lay there become tokens when anyone syncs them.
  let left = largest(0n, smallest(sentThere, increase));
  let withheld = largest(0n, sentThere - increase);
  const take = (each: PaymentLink, amount: bigint): bigint => {
    const least = leastOf(each, amount, withheld);
    // One that cannot be paid, as the fee was raised since, leaves to the others what was sent for them.
    const taken = left < least ? smallest(left, largest(0n, amount - withheld)) : least;
    left -= taken;
    withheld = largest(0n, withheld - (amount - taken));
    return taken;
  };
  take(link, sumOf(paying.filter((transfer) => !links.some((each) => carries(transfer, each)))));
  for (const each of links) {
    const needed = largest(1n, leastOf(each, each.minAmount, withheld));
    if (each === link && each === links.at(-1)) return { received: left, needed };
    const received = take(each, largest(each.minAmount, sumOf(ownTransfers(each, paying, links))));
    if (each === link) return { received, needed };
  }
  return { received: 0n, needed: 1n };
}

/**
 * The least that arrives of an amount: no less than was promised when the link was made, nor than all of it but what the mint
 * withheld. A fee that is scheduled, or that was lowered since, lets nobody pay less.
 */
function leastOf({ transferFees }: PaymentLink, amount: bigint, withheld: bigint): bigint {
  return largest(leastReceived(amount, transferFees), amount - withheld);
}

function largest(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}

function smallest(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

/** Returns why a transaction paid nothing to a link, and the transfers that show it. */
function flawOf(
  link: PaymentLink,
  { transfers }: LandedContent,
  { paying, hasArrived }: { paying: readonly LandedTransfer[]; hasArrived: boolean },
): { transfers: readonly LandedTransfer[]; flaw: LinkPayment['flaw'] } {
  if (hasArrived) return { transfers: paying, flaw: 'other_link' };
  if (paying.length > 0) return { transfers: paying, flaw: 'nothing_stayed' };
  // A transfer from a token account to itself pays nothing.
  const moving = transfers.filter(({ source, destination }) => source !== destination);
  const carrying = moving.filter((transfer) => carries(transfer, link));
  const shown = carrying.length > 0 ? carrying : moving;
  const [first] = shown;
  if (!first) return { transfers: [], flaw: 'no_transfer' };
  const alike = shown.filter(({ destination }) => destination === first.destination);
  const isOtherMint =
    (first.mint !== undefined && first.mint !== link.mint) || first.tokenProgram !== link.tokenProgram;
  return { transfers: alike, flaw: isOtherMint ? 'other_mint' : 'elsewhere' };
}

/** Returns the one owner of what was sent; `null` where there are several, or the node does not say. */
function ownerOf(
  transfers: readonly LandedTransfer[],
  { lamportTransfers }: LandedContent,
  balances: TokenBalances | undefined,
): Address | null {
  const owners = transfers.map((transfer) => {
    return lamportTransfers.includes(transfer) ? transfer.source : balances?.get(transfer.source)?.owner;
  });
  const [owner] = owners;
  return owner !== undefined && owners.every((each) => each === owner) ? owner : null;
}

/** Returns who sent these transfers, and how much. Without transfers: the fee payer, and nothing. */
function sentBy(
  transfers: readonly LandedTransfer[],
  { feePayer }: LandedContent,
): Pick<SeenPayment, 'payer' | 'amount'> {
  return { payer: transfers[0]?.authority ?? feePayer, amount: sumOf(transfers) };
}

function sumOf(transfers: readonly LandedTransfer[]): bigint {
  return transfers.reduce((sum, { amount }) => sum + amount, 0n);
}
