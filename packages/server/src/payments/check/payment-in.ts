import { type Address, type CheckedTransfer, transfersIn } from 'splwright-core';
import type { LandedTransaction } from '../../chain/chain-history.ts';
import type { LinkPayment, PaymentLink } from '../../keys/store/payment-links/payment-link-store.ts';
import { receivedAmounts } from '../../service/outcome/received-amounts.ts';

/** A payment apart from how certain it is. */
export type SeenPayment = Omit<LinkPayment, 'signature' | 'commitment'>;

/** Returns which of some addresses are references of links, as the store's `findByReferences`. */
export type FindLinks = (references: readonly Address[]) => Promise<ReadonlyMap<Address, string>>;

/**
 * Returns what a landed, successful transaction paid to a link; `undefined` when none of its transfers carries the reference.
 *
 * A transfer that carries the references of several links counts for the first of them only, in the order of its accounts.
 */
export async function paymentIn(
  link: PaymentLink,
  landed: LandedTransaction,
  findLinks: FindLinks,
): Promise<SeenPayment | undefined> {
  const transfers = transfersIn(landed.bytes, landed.loadedAddresses);
  // What a token account sends to itself pays nobody.
  const carrying = transfers.filter(
    ({ references, source, destination }) => references.includes(link.reference) && source !== destination,
  );
  if (carrying.length === 0) return undefined;
  const own = await ownTransfers(link, carrying, findLinks);
  const paying = own.filter((transfer) => pays(transfer, link));
  const [first] = paying.length > 0 ? paying : own.length > 0 ? own : carrying;
  if (!first) return undefined;
  // Those to other token accounts can be in another mint.
  const alike = (own.length > 0 ? own : carrying).filter(({ destination }) => destination === first.destination);
  const received = receivedAmounts(transfers, landed);
  let amount = 0n;
  let receivedAmount = 0n;
  for (const transfer of alike) {
    amount += transfer.amount;
    receivedAmount += received[transfers.indexOf(transfer)] ?? transfer.amount;
  }
  const { slot, blockTime } = landed;
  const flaw = own.length === 0 ? 'other_link' : flawOf(first, amount, link);
  return { payer: first.authority, amount, received: receivedAmount, slot, blockTime, flaw };
}

async function ownTransfers(
  { reference }: PaymentLink,
  carrying: readonly CheckedTransfer[],
  findLinks: FindLinks,
): Promise<readonly CheckedTransfer[]> {
  const before = ({ references }: CheckedTransfer) => references.slice(0, references.indexOf(reference));
  const others = [...new Set(carrying.flatMap(before))];
  if (others.length === 0) return carrying;
  const links = await findLinks(others);
  return carrying.filter((transfer) => !before(transfer).some((each) => links.has(each)));
}

function pays({ mint, tokenProgram, destination }: CheckedTransfer, link: PaymentLink): boolean {
  return mint === link.mint && tokenProgram === link.tokenProgram && destination === link.destination;
}

function flawOf(transfer: CheckedTransfer, amount: bigint, link: PaymentLink): LinkPayment['flaw'] {
  if (transfer.mint !== link.mint || transfer.tokenProgram !== link.tokenProgram) return 'other_mint';
  if (transfer.destination !== link.destination) return 'elsewhere';
  return amount < link.minAmount ? 'too_little' : undefined;
}
