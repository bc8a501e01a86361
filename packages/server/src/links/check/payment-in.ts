import {
  type Address,
  changeOf,
  type LandedContent,
  leastReceived,
  type TokenBalances,
  type TokenTransfer,
} from 'splwright-core';
import type { LandedTransaction } from '../../chain/chain-history.ts';
import { CannotTell } from '../../outcomes/node-answer.ts';
import type { LinkPayment, PaymentLink } from '../records/payment-link-store.ts';

/** A payment apart from how certain it is. */
export type SeenPayment = Omit<LinkPayment, 'signature' | 'commitment'>;

/** Returns the links whose references are among some addresses, as the store's `findByReferences`. */
export type FindLinks = (references: readonly Address[]) => Promise<readonly PaymentLink[]>;

/**
 * Returns what a landed, successful transaction that names the reference of a link paid to it.
 *
 * It counts when the recipient's token account holds at least the amount more after it than before, less what the mint may
 * withhold, in whatever form and by whatever program it was paid. Links that are named together share what arrived, in the order
 * of their references: each takes what it asks for, or what was sent for it, and the last one takes the rest.
 *
 * Throws a `CannotTell` when the transaction cannot be read.
 */
export async function paymentIn(
  link: PaymentLink,
  { content, balances, slot, blockTime }: LandedTransaction,
  findLinks: FindLinks,
): Promise<SeenPayment> {
  if (!content?.named.has(link.reference)) throw new CannotTell('history_not_available');
  const links = await linksSharing(link, content, findLinks);
  const paying = content.transfers.filter((transfer) => pays(transfer, link));
  const own = ownTransfers(link, paying, links);
  const sending = own.length > 0 ? own : paying;
  const seen = { slot, blockTime };
  if (!balances) {
    return { ...seen, ...sentBy(sending, content), received: 0n, flaw: 'not_shown' };
  }
  const arrived = arrivedAt(link, balances);
  const received = shareOf(link, { links, paying, arrived });
  if (received > 0n) {
    const { payer, amount } = sentBy(sending, content, balances, link.mint);
    const isShown = amount > received && (own.length > 0 || links.length === 1);
    const sent = isShown ? amount : received;
    const isEnough = received >= atLeast(link) && (link.transferFees !== null || sent >= link.minAmount);
    return { ...seen, payer, amount: sent, received, flaw: isEnough ? undefined : 'too_little' };
  }
  const { transfers, flaw } = flawOf(link, content, { paying, arrived });
  const sent = sentBy(transfers, content, balances, link.mint);
  const change = transfers[0] ? changeOf(balances, transfers[0].destination) : 0n;
  return { ...seen, ...sent, received: flaw === 'other_link' || change < 0n ? 0n : change, flaw };
}

// At least 1: without an increase nothing was paid, whatever the mint withholds.
function atLeast({ minAmount, transferFees }: PaymentLink): bigint {
  const least = transferFees ? leastReceived(minAmount, transferFees) : 1n;
  return least > 0n ? least : 1n;
}

/** Returns the increase of the recipient's token account; zero if it has another owner or mint now. */
function arrivedAt({ destination, mint, recipient }: PaymentLink, balances: TokenBalances): bigint {
  const balance = balances.get(destination);
  if (balance?.mint !== mint || (balance.owner !== undefined && balance.owner !== recipient)) return 0n;
  const change = balance.after - balance.before;
  return change > 0n ? change : 0n;
}

/** The links to the same token account that a transaction names, in the order of their references. */
async function linksSharing(
  link: PaymentLink,
  content: LandedContent,
  findLinks: FindLinks,
): Promise<readonly PaymentLink[]> {
  const named = [...content.named];
  const own = new Set<Address>([link.reference, link.destination, link.mint, link.tokenProgram, link.recipient]);
  const found = await findLinks(named.filter((address) => !own.has(address)));
  const sharing = found.filter(({ destination, reference }) => {
    return destination === link.destination && reference !== link.reference;
  });
  return [link, ...sharing].toSorted((one, other) => named.indexOf(one.reference) - named.indexOf(other.reference));
}

/** The transfers that carry the reference of a link, and of no other. */
function ownTransfers(
  { reference }: PaymentLink,
  transfers: readonly TokenTransfer[],
  links: readonly PaymentLink[],
): readonly TokenTransfer[] {
  const all = new Set(links.map((link) => link.reference));
  return transfers.filter(({ references }) => {
    const carried = new Set(references.filter((each) => all.has(each)));
    return carried.size === 1 && carried.has(reference);
  });
}

function shareOf(
  link: PaymentLink,
  { links, paying, arrived }: { links: readonly PaymentLink[]; paying: readonly TokenTransfer[]; arrived: bigint },
): bigint {
  let left = arrived;
  for (const [index, each] of links.entries()) {
    const sent = sumOf(ownTransfers(each, paying, links));
    const meant = leastReceived(sent, each.transferFees ?? []);
    const wanted = meant > atLeast(each) ? meant : atLeast(each);
    const share = index === links.length - 1 || left < wanted ? left : wanted;
    if (each === link) return share;
    left -= share;
  }
  return left;
}

/** Returns why a transaction paid nothing to a link, and the transfers that show it. */
function flawOf(
  link: PaymentLink,
  { transfers }: LandedContent,
  { paying, arrived }: { paying: readonly TokenTransfer[]; arrived: bigint },
): { transfers: readonly TokenTransfer[]; flaw: LinkPayment['flaw'] } {
  if (arrived > 0n) return { transfers: paying, flaw: 'other_link' };
  if (paying.length > 0) return { transfers: paying, flaw: 'nothing_stayed' };
  // A transfer from a token account to itself pays nothing.
  const moving = transfers.filter(({ source, destination }) => source !== destination);
  const carrying = moving.filter(({ references }) => references.includes(link.reference));
  const shown = carrying.length > 0 ? carrying : moving;
  const [first] = shown;
  if (!first) return { transfers: [], flaw: 'no_transfer' };
  const alike = shown.filter(({ destination }) => destination === first.destination);
  const isOtherMint =
    (first.mint !== undefined && first.mint !== link.mint) || first.tokenProgram !== link.tokenProgram;
  return { transfers: alike, flaw: isOtherMint ? 'other_mint' : 'elsewhere' };
}

function pays({ mint, tokenProgram, source, destination }: TokenTransfer, link: PaymentLink): boolean {
  if (destination !== link.destination || source === destination || tokenProgram !== link.tokenProgram) return false;
  return mint === undefined || mint === link.mint;
}

/** Returns who sent these transfers, and how much. Without transfers: the wallet that lost most of the mint, otherwise the fee payer. */
function sentBy(
  transfers: readonly TokenTransfer[],
  { feePayer }: LandedContent,
  balances?: TokenBalances,
  mint?: Address,
): Pick<SeenPayment, 'payer' | 'amount'> {
  const [first] = transfers;
  if (first) return { payer: first.authority, amount: sumOf(transfers) };
  let payer = feePayer;
  let most = 0n;
  for (const balance of balances?.values() ?? []) {
    const lost = balance.before - balance.after;
    if (balance.mint !== mint || lost <= most || balance.owner === undefined) continue;
    payer = balance.owner;
    most = lost;
  }
  return { payer, amount: most };
}

function sumOf(transfers: readonly TokenTransfer[]): bigint {
  return transfers.reduce((sum, { amount }) => sum + amount, 0n);
}
