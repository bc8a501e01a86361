import {
  type Address,
  type BatchRequest,
  partsByMint,
  type SponsorFee,
  sol,
  type TransferRequest,
} from 'splwright-core';
import type { Deadline } from '../chain/chain-reader.ts';
import type { KeyRestrictions } from '../keys/authenticated-key.ts';
import { AppError, isAppError } from '../problems.ts';
import { areOutdated, type Sponsor, type SponsorTerms, signsForFree } from '../sponsor/sponsor.ts';
import type { SponsorBalance } from '../sponsor/sponsor-balance.ts';
import type { SponsorRequest } from '../sponsor/sponsor-fields.ts';
import { assertSponsorAccepts, assertTakesFeesIn, type Draft, mostRentOf } from '../sponsor/sponsor-rules.ts';
import { assertRentAllowed, type SponsoredCosts } from '../sponsor/sponsored-lamports.ts';
import type { AskSponsorFees } from './transfer-builder.ts';

/** The sponsor of the service, and what it has. */
export interface SponsorParts {
  sponsor: Sponsor;
  balance: SponsorBalance;
}

/** A request to sponsor, and what its API key allows. */
export interface Sponsored {
  request: SponsorRequest;
  restrictions: Pick<KeyRestrictions, 'sponsorsRent'>;
  deadline: Deadline;
}

/** How transactions are built for a sponsor, and what of them it sees. */
export interface SponsoredBuild<Request, Built> {
  request: Request;
  build: (request: Request, askFees: AskSponsorFees | undefined) => Promise<Built>;
  draftsOf: (built: Built) => readonly Draft[];
}

/** A build, and its transactions with the sponsor's signature, in their order. */
interface SignedBuild<Built> {
  built: Built;
  signed: readonly Uint8Array[];
  /** Not counted yet. */
  costs: SponsoredCosts;
}

/**
 * Builds transactions whose fee payer is the sponsor, and has it sign them. Its caller counts what they cost, before it hands any out.
 *
 * Throws an `AppError` of the sponsor or of a limit, or what `build` throws.
 */
export async function buildSponsored<Request extends TransferRequest | BatchRequest, Built>(
  sponsored: Sponsored,
  parts: SponsorParts | undefined,
  building: SponsoredBuild<Request, Built>,
): Promise<SignedBuild<Built>> {
  if (!parts) throw notConfigured('/fee_payer');
  const { sponsor } = parts;
  const terms = await sponsor.readTerms();
  try {
    return await buildUnder(terms, sponsor, sponsored, building);
  } catch (error) {
    if (!isAppError(error, 'sponsor_refused') && !isAppError(error, 'sponsor_error')) throw error;
    // It may have refused what the terms of half a minute ago allowed.
    const current = await sponsor.readTerms();
    if (!areOutdated(terms, current)) throw error;
    return buildUnder(current, sponsor, sponsored, building);
  }
}

async function buildUnder<Request extends TransferRequest | BatchRequest, Built>(
  terms: SponsorTerms,
  sponsor: Sponsor,
  { request: asked, restrictions, deadline }: Sponsored,
  { request, build, draftsOf }: SponsoredBuild<Request, Built>,
): Promise<SignedBuild<Built>> {
  assertNotItsOwn(request.from, terms);
  const feeMint = asked.feeMint ?? request.mint;
  const isFree = signsForFree(terms);
  const mints = 'transfers' in request ? partsByMint(request).map((part) => part.request.mint) : [request.mint];
  if (!isFree) assertCanBePaid(mints, feeMint, terms);
  const askFees: AskSponsorFees = async (drafts) => {
    for (const draft of drafts) assertSponsorAccepts(terms.rules, draft);
    const fees = await inTurns(drafts, ({ bytes }) => sponsor.estimateFee(bytes, feeMint, terms, deadline));
    assertWithin(fees, asked, feeMint);
    return fees;
  };
  const sponsorFee: SponsorFee | undefined = isFree
    ? undefined
    : { to: terms.paymentAddress, mint: feeMint, amounts: [] };
  const ofSponsor = { ...request, feePayer: terms.address, sponsorFee };
  const sign = async (fees: AskSponsorFees | undefined): Promise<SignedBuild<Built>> => {
    const built = await build(ofSponsor, fees);
    const drafts = draftsOf(built);
    const costs = costsOf(drafts);
    assertRentAllowed(costs, restrictions);
    for (const draft of drafts) assertSponsorAccepts(terms.rules, draft);
    return { built, signed: await inTurns(drafts, ({ bytes }) => sponsor.sign(bytes, terms, deadline)), costs };
  };
  return isFree ? sign(undefined) : signPaid(sign, askFees);
}

/**
 * Throws why nobody could have a payment sponsored in some tokens for at most `maxFee` base units, as far as that is known before there is
 * a payer: the problem of a request for `sponsored`.
 */
export async function assertCanSponsor(
  parts: SponsorParts | undefined,
  { mints, maxFee }: { mints: readonly Address[]; maxFee: bigint },
): Promise<void> {
  if (!parts) throw notConfigured('/sponsored');
  const terms = await parts.sponsor.readTerms();
  if (signsForFree(terms)) return;
  for (const mint of mints) assertCanBePaid([mint], mint, terms);
  if (maxFee > 0n) return;
  const detail =
    'The sponsor takes a fee in the token that is paid. Send max_sponsor_fee, the most that it may take of a payment.';
  throw new AppError('sponsor_fee_too_high', detail, {
    findings: [{ code: 'sponsor_fee_too_high', pointer: '/max_sponsor_fee', detail }],
  });
}

// What it asks for may have risen since it was asked: then once more.
async function signPaid<Built>(
  sign: (fees: AskSponsorFees) => Promise<SignedBuild<Built>>,
  askFees: AskSponsorFees,
): Promise<SignedBuild<Built>> {
  let last: readonly bigint[] = [];
  const remember: AskSponsorFees = async (drafts) => {
    last = await askFees(drafts);
    return last;
  };
  try {
    return await sign(remember);
  } catch (error) {
    if (!isAppError(error, 'sponsor_refused') || last.length === 0) throw error;
    const before = last;
    return sign(async (drafts) => {
      const fees = await askFees(drafts);
      if (fees.every((fee, index) => fee <= (before[index] ?? 0n))) throw error;
      return fees;
    });
  }
}

function assertWithin(
  fees: readonly bigint[],
  { maxFee: max, earlierFees: earlier = 0n }: SponsorRequest,
  mint: Address,
): void {
  const total = fees.reduce((sum, fee) => sum + fee, 0n);
  if (earlier + total <= max) return;
  const paid = earlier > 0n ? `, and earlier transactions of this request pay it ${earlier}` : '';
  const detail =
    `The sponsor asks for ${total} base units of ${mint}${paid}; max_sponsor_fee allows ${max}. ` +
    'Send a higher max_sponsor_fee, or name a wallet of yours as the fee_payer.';
  throw new AppError('sponsor_fee_too_high', detail, {
    findings: [{ code: 'sponsor_fee_too_high', pointer: '/max_sponsor_fee', detail }],
  });
}

function assertCanBePaid(mints: readonly Address[], feeMint: Address, { rules }: SponsorTerms): void {
  if (![...mints, feeMint].includes(sol)) {
    assertTakesFeesIn(rules, feeMint);
    return;
  }
  throw new AppError(
    'sponsor_refused',
    'A sponsor that takes a fee pays for transfers of tokens, and takes it in a token: not SOL.',
  );
}

// It signs as the fee payer alone: what one of its wallets sends, its signature would send too.
function assertNotItsOwn(from: Address, { feePayers, paymentAddress }: SponsorTerms): void {
  if (!feePayers.includes(from) && from !== paymentAddress) return;
  throw new AppError('sponsor_refused', `${from} is a wallet of the sponsor itself. Send from another wallet.`);
}

function costsOf(drafts: readonly Draft[]): SponsoredCosts {
  const sum = (cost: (draft: Draft) => bigint): bigint => drafts.reduce((total, draft) => total + cost(draft), 0n);
  const rent = sum(mostRentOf);
  return { lamports: rent + sum(({ plan }) => plan.networkFee + plan.priorityFee), rent };
}

/** The refusal of a request for a sponsor where there is none. */
function notConfigured(pointer: '/fee_payer' | '/sponsored'): AppError {
  const remedy = pointer === '/fee_payer' ? 'Name a wallet of yours as the fee_payer' : 'Leave sponsored out';
  const detail = `This service has no sponsor. ${remedy}, or ask the operator to set SPONSOR_URL.`;
  return new AppError('sponsor_not_configured', detail, {
    findings: [{ code: 'sponsor_not_configured', pointer, detail }],
  });
}

// A batch has many transactions, and a Kora server a rate limit.
const maxCallsAtOnce = 8;

async function inTurns<Item, Result>(
  items: readonly Item[],
  call: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += maxCallsAtOnce) {
    results.push(...(await Promise.all(items.slice(start, start + maxCallsAtOnce).map(call))));
  }
  return results;
}
