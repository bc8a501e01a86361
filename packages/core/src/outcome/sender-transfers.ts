import type { Address } from '../addresses/address.ts';
import type { LandedContent } from './landed-content.ts';
import type { TokenTransfer } from './token-transfer.ts';
import type { TransferIntent } from './transfer-intent.ts';

/** What a landed transaction moves out of the token account of a sender, and into it. */
export interface SenderTransfers {
  /** Those that leave it for another account and are of the sender's mint, in the order of execution. */
  leaving: readonly TokenTransfer[];
  /** The same by their destination. */
  directTo: ReadonlyMap<Address, readonly TokenTransfer[]>;
  /** How much more it holds by all transfers that are known; negative for less. */
  change: bigint;
}

interface KnownSender extends SenderTransfers {
  sender: Sender;
}

type Sender = Pick<TransferIntent, 'source' | 'mint' | 'decimals' | 'tokenProgram'>;

// A transaction of many transfers is compared with many intents, mostly of one sender.
const latest = new WeakMap<LandedContent, KnownSender>();

/** Returns what a landed transaction moves out of the token account of an intent's sender, and into it. */
export function transfersOfSender(sender: Sender, content: LandedContent): SenderTransfers {
  const known = latest.get(content);
  if (known && isSame(known.sender, sender)) return known;
  const leaving = content.transfers.filter((transfer) => leavesSource(transfer, sender));
  const directTo = Map.groupBy(leaving, ({ destination }) => destination);
  const { source, mint, decimals, tokenProgram } = sender;
  const found = {
    sender: { source, mint, decimals, tokenProgram },
    leaving,
    directTo,
    change: changeBy(content, source),
  };
  latest.set(content, found);
  return found;
}

function isSame(one: Sender, other: Sender): boolean {
  return (
    one.source === other.source &&
    one.mint === other.mint &&
    one.decimals === other.decimals &&
    one.tokenProgram === other.tokenProgram
  );
}

// The token programs refuse another mint, and other decimals.
function leavesSource(transfer: TokenTransfer, { source, mint, decimals, tokenProgram }: Sender): boolean {
  if (transfer.source !== source || transfer.destination === source) return false;
  if (transfer.tokenProgram !== tokenProgram || (transfer.mint ?? mint) !== mint) return false;
  return (transfer.decimals ?? decimals) === decimals;
}

function changeBy({ transfers }: LandedContent, account: Address): bigint {
  let change = 0n;
  for (const { source, destination, amount } of transfers) {
    if (source === account) change -= amount;
    if (destination === account) change += amount;
  }
  return change;
}
