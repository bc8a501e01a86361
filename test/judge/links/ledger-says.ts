import type { Cluster, Landed } from '../outcomes/cluster.ts';
import { slotsToFinalize } from '../outcomes/cluster.ts';
import type { TransferReading } from '../outcomes/payment-reading.ts';

/** What the judge knows of a link: what was asked for, and where it is paid. */
export interface KnownLink {
  id: string;
  reference: string;
  destination: string;
  mint: string;
  minAmount: bigint;
  isSingleUse: boolean;
  expiresAt: number;
  cancelledAt: number | undefined;
}

/** A payment as the ledger executed it. */
export interface TruePayment {
  signature: string;
  slot: bigint;
  payer: string;
  amount: bigint;
  /** What arrived; undefined where transfers that are not of the link arrived in the same account. */
  received: bigint | undefined;
  flaw: 'too_little' | 'elsewhere' | 'other_mint' | 'other_link' | undefined;
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
  { record, reading }: Landed,
  cluster: Cluster,
): TruePayment | undefined {
  if (record.error !== null) return undefined;
  const bearing = reading.transfers.filter(
    ({ inOrder, source, destination }) => source !== destination && inOrder.some((each) => each === link.reference),
  );
  if (bearing.length === 0) return undefined;
  const known = new Set(links.map(({ reference }) => reference));
  const own = bearing.filter(({ inOrder }) => inOrder.find((each) => known.has(each)) === link.reference);
  const right = own.filter(({ destination }) => destination === link.destination);
  const [shown] = [right, own, bearing].find((transfers) => transfers.length > 0) ?? [];
  if (!shown) return undefined;
  const counted = (own.length > 0 ? own : bearing).filter((each) => each.destination === shown.destination);
  const amount = sumOf(counted);
  const arriving = reading.transfers.filter((each) => each.destination === shown.destination);
  const isWhole = arriving.length === counted.length;
  return {
    signature: record.signature,
    slot: record.slot,
    payer: shown.authority,
    amount,
    received: isWhole ? changeOf(record, shown.destination) : undefined,
    flaw: own.length === 0 ? 'other_link' : flawOf(link, shown, amount),
    isFinal: record.slot <= cluster.tip - slotsToFinalize,
    landedAt: Number(record.blockTime) * 1_000,
  };
}

function flawOf(link: KnownLink, shown: TransferReading, amount: bigint): TruePayment['flaw'] {
  if (shown.mint !== link.mint) return 'other_mint';
  if (shown.destination !== link.destination) return 'elsewhere';
  return amount < link.minAmount ? 'too_little' : undefined;
}

function sumOf(transfers: readonly TransferReading[]): bigint {
  return transfers.reduce((sum, { amount }) => sum + amount, 0n);
}

/** By how much a transaction changed what a token account holds. */
export function changeOf(record: Landed['record'], account: string): bigint {
  const addresses: readonly string[] = record.addresses;
  const index = addresses.indexOf(account);
  const held = (balances: typeof record.preTokenBalances): bigint => {
    return BigInt(balances.find(({ accountIndex }) => accountIndex === index)?.uiTokenAmount.amount ?? '0');
  };
  return held(record.postTokenBalances) - held(record.preTokenBalances);
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
  if (truth.some(({ flaw }) => flaw === undefined)) return ['paid'];
  return limbo.some(({ flaw }) => flaw === undefined) ? ['paid', unpaid] : [unpaid];
}
