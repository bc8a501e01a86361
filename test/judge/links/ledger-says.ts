import { address } from '@solana/kit';
import { type FeeInForce, withheldBy } from '../../setup/transfer-fees.ts';
import type { Cluster, Landed } from '../outcomes/cluster.ts';
import { slotsToFinalize } from '../outcomes/cluster.ts';

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
  expiresAt: number;
  cancelledAt: number | undefined;
}

/** A transaction that names a link, as the ledger executed it. */
export interface TruePayment {
  signature: string;
  slot: bigint;
  /** Whether it pays the link: by what its token account holds more, and nothing else. */
  counts: boolean;
  /** By how much more the recipient's own token account held, what other links take included. */
  arrived: bigint;
  /** Whether no other link of the world takes part. */
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
  landed: readonly Landed[],
  cluster: Cluster,
): TruePayment[] {
  return landed.flatMap((each) => paymentOf(link, links, each, cluster) ?? []);
}

function paymentOf(
  link: KnownLink,
  links: readonly KnownLink[],
  landed: Landed,
  cluster: Cluster,
): TruePayment | undefined {
  const { record, execution } = landed;
  if (record.error !== null || !names(landed, link)) return undefined;
  const arrived = arrivedAt(link, landed);
  const sharing = links
    .filter((each) => names(landed, each) && each.destination === link.destination)
    .toSorted((one, other) => placeOf(landed, one) - placeOf(landed, other));
  let left = arrived;
  let counts = false;
  for (const each of sharing) {
    const needed = neededBy(each);
    if (each === link) counts = left >= needed;
    left -= left < needed ? left : needed;
  }
  const [only, ...others] = execution.moves;
  const isCarried = only !== undefined && others.length === 0 && only.others.some((each) => each === link.reference);
  return {
    signature: record.signature,
    slot: record.slot,
    counts,
    arrived,
    isAlone: sharing.length === 1,
    payer: isCarried ? only.authority : undefined,
    amount: isCarried ? only.amount : undefined,
    isFinal: record.slot <= cluster.tip - slotsToFinalize,
    landedAt: Number(record.blockTime) * 1_000,
  };
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
function neededBy({ minAmount, fees }: KnownLink): bigint {
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
