import { generateKeyPairSync, randomBytes } from 'node:crypto';
import {
  type Account,
  type Address,
  addressFromBytes,
  decideLinkPayment,
  encodeBase58,
  type Memo,
  parseMemo,
  type TransferRequest,
  type Warning,
} from 'splwright-core';
import { assertHistory } from '../chain/assert-history.ts';
import type { ChainHistory } from '../chain/chain-history.ts';
import type { AccountsAtSlot, ChainReader, Deadline } from '../chain/chain-reader.ts';
import { decideFromChain } from '../transfers/decide-from-chain.ts';
import { TransferRefused } from '../transfers/transfer-refused.ts';
import type { PaymentLink } from './records/payment-link.ts';

/** What the maker of a link asks for; texts and bounds are validated. */
export interface NewPaymentLink
  extends Pick<PaymentLink, 'recipient' | 'mint' | 'memo' | 'label' | 'message' | 'icon' | 'redirect' | 'metadata'>,
    Pick<PaymentLink, 'isSingleUse' | 'allowsOffCurveRecipient'> {
  /** Base units; a fixed amount also as a decimal number of tokens, whose base units depend on the mint. */
  minAmount: TransferRequest['amount'];
  /** The same as `minAmount` when the amount is fixed. */
  maxAmount: TransferRequest['amount'];
  expiresInSeconds: number;
}

/** The API key that a link is made with. */
export interface LinkOwner {
  /** Its `rootId`. */
  ownerId: string;
  keyId: string;
  /** How many base units of the link's mint it may build in a day; `undefined` for no limit. */
  dailyLimit?: bigint | undefined;
  /** Throws when the key may not make the link, whose amount has its base units by then. */
  assertMayMake?: (link: PaymentLink) => void;
}

interface LinkMaking {
  reader: Pick<ChainReader, 'readAccounts' | 'readRecentPrices'>;
  history: ChainHistory;
  /** Milliseconds since the Unix epoch. */
  now: () => number;
  deadline: Deadline;
}

/**
 * Returns a new link with a new reference, and warnings about its recipient.
 *
 * Throws `TransferRefused` with every reason why it could not be paid or nothing of it would arrive, and the fault of the upstream, also
 * when no node keeps the history in which its payments are found.
 */
export async function makeLink(
  asked: NewPaymentLink,
  { ownerId, keyId }: LinkOwner,
  { reader, history, now, deadline }: LinkMaking,
): Promise<{ link: PaymentLink; warnings: readonly Warning[] }> {
  const { mint, expiresInSeconds, ...wanted } = asked;
  const reference = newReference();
  const createdAt = now();
  const [payee] = await Promise.all([
    readPayee(asked, reference, reader, deadline),
    assertHistory(history, reference, deadline),
  ]);
  const link: PaymentLink = {
    ...wanted,
    id: newLinkId(),
    ownerId,
    keyId,
    reference,
    mint,
    minAmount: payee.minAmount,
    maxAmount: payee.amount,
    tokenProgram: payee.mint.tokenProgram,
    decimals: payee.mint.decimals,
    destination: payee.tokenAccount,
    tokenName: payee.metadata?.name ?? null,
    tokenSymbol: payee.metadata?.symbol ?? null,
    transferFees: payee.transferFees,
    uiAmountConfig: payee.mint.uiAmountConfig ?? null,
    wasRecipientNeverUsed: payee.warnings.some(({ code }) => code === 'recipient_never_used'),
    createdAt: new Date(createdAt),
    createdSlot: payee.slot,
    expiresAt: new Date(createdAt + expiresInSeconds * 1_000),
    cancelledAt: null,
    checkedAt: new Date(createdAt),
    handedOutAt: null,
    handedOutHeight: null,
    settledAt: null,
    examinedUntil: null,
  };
  return { link, warnings: payee.warnings };
}

/** Where a link is paid to, as of the slot of the first read. Throws `TransferRefused`, and the fault of the upstream. */
async function readPayee(
  { recipient, mint, minAmount, maxAmount, memo, allowsOffCurveRecipient }: NewPaymentLink,
  reference: Address,
  reader: LinkMaking['reader'],
  deadline: Deadline,
) {
  const wanted = {
    to: recipient,
    mint,
    minAmount,
    amount: maxAmount,
    memo: memoOf(memo),
    references: [reference],
    allowsOffCurveRecipient,
  };
  const read = new Map<Address, Account | null>();
  let slot: bigint | undefined;
  const readAccounts = async (...asked: Parameters<ChainReader['readAccounts']>): Promise<AccountsAtSlot> => {
    const answer = await reader.readAccounts(...asked);
    slot ??= answer.slot;
    return answer;
  };
  const first = decideLinkPayment(wanted, read);
  const decision = await decideFromChain(
    { readAccounts, readRecentPrices: (...asked) => reader.readRecentPrices(...asked) },
    deadline,
    {
      mint,
      facts: { read, recentPrices: undefined },
      firstAddresses: 'needs' in first ? first.needs : [],
      decide: () => decideLinkPayment(wanted, read),
    },
  );
  if ('findings' in decision) throw new TransferRefused(decision.findings);
  return { ...decision, slot: slot ?? 0n };
}

/** Returns the memo of a link, whose text was validated. */
export function memoOf(text: string | null): Memo | undefined {
  const parsed = text === null ? undefined : parseMemo(text);
  return parsed && 'memo' in parsed ? parsed.memo : undefined;
}

const idLength = 16;

function newLinkId(): string {
  // 16 characters are 93.7 bits, so the last ones of 16 bytes are evenly spread.
  return encodeBase58(randomBytes(idLength)).slice(-idLength);
}

/** Returns a new address by which payments are found: a public key whose private key is thrown away. */
function newReference(): Address {
  const { x } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
  if (x === undefined) throw new Error('an Ed25519 key has no public part');
  return addressFromBytes(Buffer.from(x, 'base64url'));
}
