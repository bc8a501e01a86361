import { type Address, decodeMint, findAssociatedTokenAddress } from 'splwright-core';
import type { ChainHistory } from '../chain/chain-history.ts';
import type { ChainReader, Deadline } from '../chain/chain-reader.ts';
import { unavailable } from '../chain/upstream-faults.ts';
import type { PaymentLink } from '../keys/store/payment-links/payment-link-store.ts';
import { TransferRefused } from '../service/transfer-refused.ts';
import { newLinkId, newReference } from './link-names.ts';

/** What the maker of a link asks for; texts and bounds are validated. */
export interface NewPaymentLink {
  recipient: Address;
  mint: Address;
  /** Base units. */
  minAmount: bigint;
  /** The same as `minAmount` when the amount is fixed. */
  maxAmount: bigint;
  memo: string | null;
  label: string;
  message: string | null;
  icon: string | null;
  redirect: string | null;
  expiresInSeconds: number;
  isSingleUse: boolean;
  allowsOffCurveRecipient: boolean;
}

/** The API key that a link is made with. */
export interface LinkOwner {
  /** Its `rootId`. */
  ownerId: string;
  keyId: string;
}

/** What a link is made with. */
export interface LinkMaking {
  reader: Pick<ChainReader, 'readAccounts'>;
  history: ChainHistory;
  /** Milliseconds since the Unix epoch. */
  now: () => number;
  deadline: Deadline;
}

/**
 * Returns a new link, whose reference nobody knows yet.
 *
 * Throws `TransferRefused` with every reason why nobody could pay it, and the fault of the upstream: also where no node keeps the
 * history in which its payments are found.
 */
export async function makeLink(
  asked: NewPaymentLink,
  { ownerId, keyId }: LinkOwner,
  { reader, history, now, deadline }: LinkMaking,
): Promise<PaymentLink> {
  const { mint, expiresInSeconds, ...wanted } = asked;
  const reference = newReference();
  const [{ slot, accounts }] = await Promise.all([
    reader.readAccounts([mint, asked.recipient], deadline),
    assertHistory(history, reference, deadline),
  ]);
  const decoded = accounts[0] && decodeMint(accounts[0]);
  if (!decoded) throw new TransferRefused([{ code: 'mint_not_found', field: 'mint', context: { mint } }]);
  const createdAt = now();
  return {
    ...wanted,
    id: newLinkId(),
    ownerId,
    keyId,
    reference,
    mint,
    tokenProgram: decoded.tokenProgram,
    decimals: decoded.decimals,
    destination: findAssociatedTokenAddress({ owner: asked.recipient, mint, tokenProgram: decoded.tokenProgram })
      .address,
    tokenName: null,
    tokenSymbol: null,
    createdAt: new Date(createdAt),
    createdSlot: slot,
    expiresAt: new Date(createdAt + expiresInSeconds * 1_000),
    cancelledAt: null,
    checkedAt: new Date(createdAt),
    settledAt: null,
    examinedUntil: null,
  };
}

/** Throws the fault of the preferred node when no node lists what an address was used for. */
async function assertHistory(history: ChainHistory, address: Address, deadline: Deadline): Promise<void> {
  const nodes = history.nodes();
  const [preferred, ...others] = nodes;
  if (!preferred) throw unavailable('connection', 'there is none');
  const ask = (node: (typeof nodes)[number]) => node.readSignatures(address, { limit: 1 }, deadline);
  try {
    await ask(preferred);
  } catch (error) {
    await Promise.any(others.map(ask)).catch(() => {
      throw error;
    });
  }
}
