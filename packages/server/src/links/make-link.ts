import { generateKeyPairSync, randomBytes } from 'node:crypto';
import {
  type Account,
  type Address,
  addressFromBytes,
  decideLinkPayment,
  encodeBase58,
  type Finding,
  type Memo,
  type NamedAmount,
  parseMemo,
  sol,
  type Warning,
} from 'splwright-core';
import { assertHistory } from '../chain/assert-history.ts';
import type { ChainHistory } from '../chain/chain-history.ts';
import type { AccountsAtSlot, ChainReader, Deadline } from '../chain/chain-reader.ts';
import { decideFromChain } from '../transfers/decide-from-chain.ts';
import { TransferRefused } from '../transfers/transfer-refused.ts';
import type { LinkToken, PaymentLink } from './records/payment-link.ts';

/** A token in which a link is to be paid. */
export interface NewLinkToken {
  mint: Address;
  minAmount: NamedAmount;
  maxAmount: NamedAmount;
}

/** Returns the tokens in which a link is to be paid, beginning with its own, and where the request has each. */
export function tokensAsked({ mint, minAmount, maxAmount, otherTokens, tokensAt }: NewPaymentLink) {
  return [{ mint, minAmount, maxAmount }, ...otherTokens].map((token, index) => {
    return { ...token, at: tokensAt === '' ? '' : `${tokensAt}/${index}` };
  });
}

/** The reasons why a link could not be paid in some of its tokens. `at`: where the request has the token of each. */
export class LinkRefused extends TransferRefused {
  readonly at: readonly string[];

  constructor(found: readonly [{ finding: Finding; at: string }, ...{ finding: Finding; at: string }[]]) {
    const [first, ...others] = found;
    super([first.finding, ...others.map(({ finding }) => finding)]);
    this.at = found.map(({ at }) => at);
  }
}

/** The wishes of a link's maker; texts and bounds are validated. */
export interface NewPaymentLink
  extends Pick<PaymentLink, 'recipient' | 'mint' | 'memo' | 'label' | 'message' | 'icon' | 'redirect' | 'metadata'>,
    Pick<PaymentLink, 'isSingleUse' | 'allowsOffCurveRecipient' | 'maxSponsorFee'> {
  /** Base units; a fixed amount also as a decimal number of tokens, whose base units depend on the mint. */
  minAmount: NamedAmount;
  /** The same as `minAmount` when the amount is fixed. */
  maxAmount: NamedAmount;
  /** The other tokens in which it can be paid. */
  otherTokens: readonly NewLinkToken[];
  /** Where the request has the tokens and their amounts: `accepts`, or the body itself for one token. */
  tokensAt: '' | '/accepts';
  expiresInSeconds: number;
}

/** The API key that a link is made with. */
export interface LinkOwner {
  /** Its `rootId`. */
  ownerId: string;
  keyId: string;
  /** How many base units of a mint it may build in a day; none for no limit. */
  dailyLimits?: ReadonlyMap<string, bigint>;
  /** Whether sponsors may pay the rent of the recipient's token account. */
  sponsorsRent?: boolean;
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
 * Returns a new link with a new reference, warnings about its recipient, and `lacking`: a mint for which it has no token account yet.
 *
 * Throws `TransferRefused` with every reason why it could not be paid or nothing of it would arrive, and the fault of the upstream, also
 * when no node keeps the history in which its payments are found.
 */
export async function makeLink(
  asked: NewPaymentLink,
  { ownerId, keyId }: LinkOwner,
  { reader, history, now, deadline }: LinkMaking,
): Promise<{ link: PaymentLink; warnings: readonly Warning[]; lacking: Address | undefined }> {
  const { mint, minAmount, maxAmount, otherTokens, tokensAt, expiresInSeconds, ...terms } = asked;
  const reference = newReference();
  const createdAt = now();
  const [[payee, ...others]] = await Promise.all([
    readPayees(asked, reference, reader, deadline),
    assertHistory(history, reference, deadline),
  ]);
  const link: PaymentLink = {
    ...terms,
    id: newLinkId(),
    ownerId,
    keyId,
    reference,
    ...payee.token,
    otherTokens: others.map(({ token }) => token),
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
  const lacking = [payee, ...others].find(({ isThere }) => !isThere)?.token.mint;
  return { link, warnings: payee.warnings, lacking };
}

type Payee = Exclude<Awaited<ReturnType<typeof readPayee>>, { findings: unknown }>;

/** Where a link is paid to in each of its tokens. Throws `LinkRefused` with every reason, and the fault of the upstream. */
async function readPayees(
  asked: NewPaymentLink,
  reference: Address,
  reader: LinkMaking['reader'],
  deadline: Deadline,
): Promise<readonly [Payee, ...Payee[]]> {
  const tokens = tokensAsked(asked);
  const read = await Promise.all(
    tokens.map(async (token) => ({
      at: token.at,
      ...(await readPayee(token, asked, { reference, reader, deadline })),
    })),
  );
  const refused = read.flatMap((each) =>
    'findings' in each ? each.findings.map((finding) => ({ finding, at: each.at })) : [],
  );
  const [first, ...others] = refused;
  if (first) throw new LinkRefused([first, ...others]);
  const [payee, ...more] = read.flatMap((each) => ('findings' in each ? [] : [each]));
  if (!payee) throw new Error('a link has no token');
  return [payee, ...more];
}

/** Where a link is paid to in a token, as of the slot of the first read; or why it could not be paid. */
async function readPayee(
  { mint, minAmount, maxAmount }: NewLinkToken,
  { recipient, memo, allowsOffCurveRecipient }: NewPaymentLink,
  { reference, reader, deadline }: { reference: Address; reader: LinkMaking['reader']; deadline: Deadline },
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
  if ('findings' in decision) return { findings: decision.findings };
  const token: LinkToken = {
    mint,
    minAmount: decision.minAmount,
    maxAmount: decision.amount,
    tokenProgram: decision.mint.tokenProgram,
    decimals: decision.mint.decimals,
    destination: decision.tokenAccount,
    tokenName: decision.metadata?.name ?? null,
    tokenSymbol: decision.metadata?.symbol ?? null,
    transferFees: decision.transferFees,
    uiAmountConfig: decision.mint.uiAmountConfig ?? null,
  };
  const isThere = mint === sol || read.get(decision.tokenAccount) != null;
  return { token, warnings: decision.warnings, slot: slot ?? 0n, isThere };
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
export function newReference(): Address {
  const { x } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
  if (x === undefined) throw new Error('an Ed25519 key has no public part');
  return addressFromBytes(Buffer.from(x, 'base64url'));
}
