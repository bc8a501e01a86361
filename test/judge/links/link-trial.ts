import { type Address, address, lamports } from '@solana/kit';
import { sol as solMint, toAddress } from '../../../packages/core/src/addresses/address.ts';
import type { Ledger } from '../../../packages/sandbox/src/index.ts';
import { type Keypair, keypairFromName } from '../../../packages/sandbox/src/ledger/keypair.ts';
import { slotsPerEpoch } from '../../../packages/sandbox/src/ledger/slot-clock.ts';
import { unavailable } from '../../../packages/server/src/chain/upstream-faults.ts';
import type { LinkView } from '../../../packages/server/src/links/link-view.ts';
import type { NewPaymentLink } from '../../../packages/server/src/links/make-link.ts';
import { isAppError } from '../../../packages/server/src/problems.ts';
import { isTransferRefused } from '../../../packages/server/src/transfers/transfer-refused.ts';
import { type FeeInForce, readTransferFees, withheldBy, writeTransferFees } from '../../setup/transfer-fees.ts';
import { nameIn, systemProgram } from '../addresses.ts';
import {
  linkTokens,
  otherAccountOf,
  otherToken,
  otherTokens,
  sol,
  writeOtherAccount,
  writeOtherMints,
} from '../other-mint.ts';
import type { Landed } from '../outcomes/cluster.ts';
import { NodeView } from '../outcomes/node-view.ts';
import { honestNode, neededDenials } from '../outcomes/node-world.ts';
import { preparePayable } from '../outcomes/prepare-trial.ts';
import { Random } from '../random.ts';
import type { Situation } from '../situation.ts';
import { account } from '../token-account.ts';
import { beginSponsor, type SponsoredPayment } from './judge-sponsored.ts';
import type { KnownLink, KnownToken, TruePayment } from './ledger-says.ts';
import { balanceOf, type LinkStage, owner, type Payer, writePayers } from './link-stage.ts';
import type { LinkWish, LinkWorld, OtherWish, PayerName } from './link-world.ts';

/** A refund that was handed out. */
export interface HandedRefund {
  link: KnownLink;
  key: number;
  /** The signature of the payment. */
  payment: string;
  amount: bigint;
  reference: string;
  /** When it was built, as a height of the cluster's blocks. */
  height: bigint;
}

/** A world of links while it is lived through. */
export interface LinkTrial {
  stage: LinkStage;
  world: LinkWorld;
  situation: Situation;
  otherPayer: Keypair;
  payers: ReadonlyMap<PayerName, Payer>;
  other: { mint: Address; source: Address; destination: Address };
  links: KnownLink[];
  /** What wallets have signed and not sent yet. */
  pocket: Uint8Array[];
  /** What a fork has dropped. */
  dropped: Landed[];
  /** What the ledger said of links as they were settled. */
  settled: Map<string, readonly TruePayment[]>;
  /** The token accounts of the recipient, and what they held before. */
  accounts: readonly { mint: Address; address: Address; before: bigint }[];
  refunds: HandedRefund[];
  /** What payers were given with the signature of the sponsor. */
  sponsored: SponsoredPayment[];
  recipient: Keypair;
  /** Who can take from the recipient's token account. */
  taker: Keypair;
  /** Whether the mint withholds something else than when the links were made. */
  feesChanged: boolean;
  random: Random;
  disagreements: string[];
  log: string[];
  tally: Map<string, number>;
}

/** Counts something that happened. */
export function count({ tally }: LinkTrial, what: string): void {
  tally.set(what, (tally.get(what) ?? 0) + 1);
}

/** Lets time pass, and some blocks. */
export function pass({ stage }: LinkTrial, ms: number, blocks: number): void {
  stage.clock.now += ms;
  stage.clock.elapsed += ms;
  stage.cluster.advance(blocks, 0);
}

/** Puts a world on the ledger and makes its links; none where one of them is refused because nothing of it would arrive. */
export async function prepareLinks(stage: LinkStage, world: LinkWorld): Promise<LinkTrial> {
  const { court, cluster } = stage;
  const { ledger } = court;
  const { seed, number } = world;
  const { situation, otherPayer } = await preparePayable(court, seed, number);
  cluster.advance(1, 0);
  cluster.begin(undefined);
  const least = world.links.reduce((sum, { amount }) => (amount < sum ? amount : sum), world.links[0].amount);
  const payers = await writePayers(ledger, situation, least);
  // A link of which nothing arrives is refused: in half of the worlds, others than such links are made.
  if (world.number % 2 === 0 && takesAll(ledger, situation, least)) {
    writeTransferFees(ledger, situation.mint, { now: { basisPoints: 1 } });
  }
  const other = await otherAccounts(stage, situation, payers);
  await beginSponsor(stage, world.sponsor, situation);
  const destinations = [{ mint: situation.mint, address: situation.recipientTokenAccount }];
  for (const token of linkTokens) {
    destinations.push({ mint: token.mint, address: await otherAccountOf(token, situation.recipient) });
  }
  const accounts = destinations.map((each) => ({ ...each, before: balanceOf(ledger, each.address) }));
  cluster.watched = accounts.map(({ address }) => address);
  const trial: LinkTrial = {
    stage,
    world,
    situation,
    otherPayer,
    payers,
    other,
    links: [],
    pocket: [],
    dropped: [],
    settled: new Map(),
    recipient: keypairFromName(nameIn(situation.world, 'recipient')),
    taker: takerOf(situation),
    feesChanged: false,
    accounts,
    refunds: [],
    sponsored: [],
    random: new Random(`splwright judge seed ${seed} links ${number} trial`),
    disagreements: [],
    log: [],
    tally: new Map(),
  };
  setNodes(trial, 'honest');
  await makeLinks(trial);
  setNodes(trial, 'as drawn');
  return trial;
}

/** What the mint of a world withholds now, and what it is known to withhold later; none where it withholds nothing. */
export function feesOf(ledger: Ledger, { world: { mint: kind }, mint }: Situation): readonly FeeInForce[] {
  const hasFees = kind.kind === 'token_2022' && kind.extensions.some((each) => each.kind === 'transfer_fee');
  return hasFees ? readTransferFees(ledger, mint, ledger.slot() / slotsPerEpoch) : [];
}

/** Whether the mint may withhold all of a payment. */
function takesAll(ledger: Ledger, situation: Situation, amount: bigint): boolean {
  return feesOf(ledger, situation).some((fee) => withheldBy(fee, amount) >= amount);
}

// The permanent delegate of the mint where that is the sender, or the recipient itself.
function takerOf({ world }: Situation): Keypair {
  const { mint } = world;
  const extensions = mint.kind === 'token_2022' ? mint.extensions : [];
  const isSender = extensions.some((each) => each.kind === 'permanent_delegate' && each.delegate === 'sender');
  return keypairFromName(nameIn(world, isSender ? 'sender' : 'recipient'));
}

/** Has the services ask the nodes of the world, or as many that know everything. */
export function setNodes({ stage, world, random }: LinkTrial, which: 'as drawn' | 'honest'): void {
  const { cluster, past } = stage;
  const place = { beginning: cluster.tip, busyAccount: '' };
  const nodes = world.nodes.nodes.map((drawn, index) => {
    const node = which === 'honest' ? { ...honestNode } : drawn;
    return new NodeView(`upstream_${index + 1}`, cluster, node, place);
  });
  if (world.isStormy && which === 'as drawn') {
    for (const node of nodes) {
      node.meddle = () => {
        if (random.chance(0.1)) throw unavailable('connection', 'it could not be reached');
      };
    }
  }
  past.history = {
    nodes: () => nodes,
    neededDenials: neededDenials(world.nodes),
    neededSightings: world.nodes.quorum,
  };
}

async function makeLinks(trial: LinkTrial): Promise<void> {
  const { world, situation, stage, links } = trial;
  const { ledger } = stage.court;
  for (const [index, wish] of world.links.entries()) {
    const others = await Promise.all(wish.others.map((other) => knownToken(ledger, situation, other)));
    let made = await makeLink(trial, index, wish);
    if (made === 'lacks_rent') {
      count(trial, 'refused, since nobody pays the rent');
      const accounts = [situation.recipientTokenAccount, ...others.map(({ destination }) => address(destination))];
      if (world.sponsor.paysRent || accounts.every((each) => ledger.getAccount(each))) {
        trial.disagreements.push(`link ${index} is refused for its rent`);
      }
      made = await makeLink(trial, index, { ...wish, isSponsored: false });
    }
    if (made === 'lacks_rent') throw new Error('a link without a sponsor is refused for its rent');
    if ((made === undefined) !== takesAll(ledger, situation, wish.amount)) {
      trial.disagreements.push(`link ${index} is ${made ? 'made' : 'refused'}, of ${wish.amount} base units`);
    }
    if (!made) {
      count(trial, 'refused, since nothing would arrive');
      links.length = 0;
      return;
    }
    const { link } = made;
    links.push({
      id: link.id,
      reference: link.reference,
      destination: situation.recipientTokenAccount,
      mint: situation.mint,
      recipient: situation.recipient,
      minAmount: wish.amount,
      fees: feesOf(ledger, situation),
      isSingleUse: wish.isSingleUse,
      isSponsored: link.maxSponsorFee !== null,
      expiresAt: stage.clock.now + wish.expiresInSeconds * 1_000,
      cancelledAt: undefined,
      others,
    });
  }
}

/** Makes a link; `undefined` where nothing of it would arrive. */
async function makeLink(
  { world, situation, stage }: LinkTrial,
  index: number,
  wish: LinkWish,
): Promise<LinkView | 'lacks_rent' | undefined> {
  const needsMemo = situation.world.recipientTokenAccount === 'memo_required';
  const asked: NewPaymentLink = {
    recipient: toAddress(situation.recipient),
    mint: toAddress(situation.mint),
    minAmount: wish.amount,
    maxAmount: wish.amount + wish.range,
    memo: wish.hasMemo || needsMemo ? `order ${world.number}` : null,
    label: 'a link',
    message: null,
    icon: null,
    redirect: null,
    metadata: {},
    otherTokens: wish.others.map(({ token, amount, isDecimal }) => {
      const { mint, mintWorld } = linkTokens[token] ?? otherToken;
      const asked = isDecimal ? { digits: amount, fractionDigits: mintWorld.decimals } : amount;
      return { mint: mint === sol ? solMint : toAddress(mint), minAmount: asked, maxAmount: asked };
    }),
    tokensAt: wish.others.length > 0 ? '/accepts' : '',
    expiresInSeconds: wish.expiresInSeconds,
    isSingleUse: wish.isSingleUse,
    allowsOffCurveRecipient: false,
    maxSponsorFee: wish.isSponsored ? world.sponsor.maxFee : null,
  };
  const { id: keyId, sponsorsRent } = stage.key;
  try {
    const service = stage.services[index === 0 ? 0 : 1];
    return await service.create(asked, { ownerId: owner, keyId, sponsorsRent }, Number.POSITIVE_INFINITY);
  } catch (error) {
    if (isTransferRefused(error) && error.findings[0].code === 'nothing_received') return undefined;
    if (isAppError(error, 'key_not_allowed')) return 'lacks_rent';
    throw error;
  }
}

async function knownToken(
  ledger: Ledger,
  { recipient }: Situation,
  { token: index, amount: minAmount }: OtherWish,
): Promise<KnownToken> {
  const token = linkTokens[index] ?? otherToken;
  const fees = token.mint === sol ? [] : readTransferFees(ledger, token.mint, ledger.slot() / slotsPerEpoch);
  return { hasFixedFee: true, destination: await otherAccountOf(token, recipient), mint: token.mint, minAmount, fees };
}

async function otherAccounts(
  { court: { ledger } }: LinkStage,
  { world, recipient }: Situation,
  payers: ReadonlyMap<PayerName, Payer>,
): Promise<LinkTrial['other']> {
  writeOtherMints(ledger);
  // It pays for its refunds.
  ledger.setAccount(account(recipient, systemProgram, lamports(tenSol)));
  for (const token of otherTokens) {
    for (const name of ['rich', 'second'] as const) {
      await writeOtherAccount(ledger, token, payers.get(name)?.keypair.address ?? systemProgram, 2n ** 40n);
    }
    // In some worlds the first payer makes the recipient's accounts.
    if (world.number % 3 > 0 || token === otherToken) await writeOtherAccount(ledger, token, recipient, 0n);
  }
  const source = await otherAccountOf(otherToken, payers.get('rich')?.keypair.address ?? systemProgram);
  return { mint: otherToken.mint, source, destination: await otherAccountOf(otherToken, recipient) };
}

const tenSol = 10_000_000_000n;
