import { type PaymentDepth, type PaymentForm, paymentForms } from '../../setup/payment-forms.ts';
import { linkTokens, otherTokens, sol } from '../other-mint.ts';
import { drawNodes, honestNode, type NodesWorld } from '../outcomes/node-world.ts';
import { type WalletChange, walletChanges } from '../outcomes/wallet.ts';
import { Random } from '../random.ts';

/** Who may come to pay a link. */
export const payerNames = ['rich', 'second', 'poor', 'without_account', 'without_lamports'] as const;
/** Who may come to pay a link. */
export type PayerName = (typeof payerNames)[number];

/** How a transfer is made that no service built. */
export const forgeries = [
  'enough',
  'more',
  'too_little',
  'least',
  'in_halves',
  'elsewhere',
  'other_mint',
  'without_reference',
  'reference_elsewhere',
  'both_references',
  'enough_for_both',
  'too_little_for_both',
  'one_each',
  'beside_a_payment',
  'in_two_tokens',
  'others_payment',
  'synced',
  'wrapped',
  'wrapped_too_little',
  'taken_back',
  'taken_back_in_part',
  'to_itself',
  'names_only',
  'failing',
] as const;
/** How a transfer is made that no service built. */
export type Forgery = (typeof forgeries)[number];

/** In which form a transfer is made, by how many programs one after another, and where the reference stands. */
export interface Shape {
  form: PaymentForm;
  depth: PaymentDepth;
  reference: 'on_transfer' | 'outermost' | 'beside';
}

/** How much a refund gives back: what is left of the payment, or a part, or more than is left. */
export type RefundPart = 'rest' | 'half' | 'one' | 'more';

/** What happens next. `link`, `service` and `token` are indices: the first token of a link is that of its world. */
export type LinkStep =
  | {
      kind: 'take';
      link: number;
      token: number;
      service: number;
      payer: PayerName;
      changes: readonly WalletChange[];
      isSent: boolean;
    }
  /** Under each of these keys at the same time; the recipient signs what it gets, and sends it at once or later. */
  | {
      kind: 'refund';
      link: number;
      keys: readonly number[];
      part: RefundPart;
      changes: readonly WalletChange[];
      isSent: boolean;
    }
  /** Two payers, or one of them twice, ask both services at the same time. */
  | { kind: 'rush'; link: number; payers: readonly [PayerName, PayerName]; tokens: readonly [number, number] }
  | { kind: 'send' }
  | {
      kind: 'forge';
      link: number;
      token: number;
      forgery: Forgery;
      version: 'legacy' | 0 | 1;
      extra: number;
      shape: Shape;
    }
  /** The mint withholds something else from now on, where it withholds anything. */
  | { kind: 'fees'; basisPoints: number; maximum: bigint; scheduled?: number }
  | { kind: 'wait'; seconds: number }
  | { kind: 'expire'; link: number; offsetMs: number; sends: boolean }
  | { kind: 'finalize' }
  /** Whatever was handed out before can land no more, and that is final. */
  | { kind: 'outlive' }
  | { kind: 'fork' }
  | { kind: 'cancel'; link: number; service: number };

/** What a link asks for. */
export interface LinkWish {
  amount: bigint;
  /** How much more may be chosen. */
  range: bigint;
  isSingleUse: boolean;
  expiresInSeconds: number;
  hasMemo: boolean;
  /** Unless the recipient lacks a token account, and nobody pays its rent. */
  isSponsored: boolean;
  /** The other tokens that it accepts. */
  others: readonly OtherWish[];
}

/** Another token that a link accepts, by its index among the other tokens of the judge. */
export interface OtherWish {
  token: number;
  amount: bigint;
  isDecimal: boolean;
}

/** The sponsor of a world. */
export interface SponsorWish {
  /** Base units of the token that is paid; 0 where it signs for free. */
  fee: bigint;
  /** The most that it may take by its links. */
  maxFee: bigint;
  paysRent: boolean;
  /** How many payments its key may have it pay for in a day; `null` for any number. */
  maxPerDay: bigint | null;
}

/** A world of two links of one recipient, and what happens to them. */
export interface LinkWorld {
  seed: number;
  number: number;
  nodes: NodesWorld;
  /** Whether every node knows everything, so that what is right is certain at any time. */
  isHonest: boolean;
  /** Whether nodes fail now and then. */
  isStormy: boolean;
  links: readonly [LinkWish, LinkWish];
  sponsor: SponsorWish;
  steps: readonly LinkStep[];
}

/** Draws the world of a seed with this number. */
export function drawLinkWorld(seed: number, number: number): LinkWorld {
  const random = new Random(`splwright judge seed ${seed} links ${number}`);
  const isHonest = random.chance(0.6);
  const asDrawn = drawNodes(random);
  const nodes = isHonest ? { ...asDrawn, nodes: asDrawn.nodes.map(() => ({ ...honestNode })) } : asDrawn;
  const isRefunded = random.chance(0.3);
  const ofSponsor = new Random(`splwright judge seed ${seed} links ${number} sponsor`);
  // In such a world links are sponsored, and their payers ask again and again before they pay.
  const isBusy = ofSponsor.chance(0.18);
  const drawn = Array.from({ length: random.integer(3, 9) }, () => drawStep(random, isRefunded ? 30 : 3, isBusy));
  const token = random.integer(0, 2);
  const paid: readonly LinkStep[] = [
    { kind: 'take', link: 0, token, service: 0, payer: 'rich', changes: [], isSent: true },
    { kind: 'finalize' },
  ];
  const steps = isRefunded ? [...paid, ...drawn] : drawn;
  return {
    seed,
    number,
    nodes,
    isHonest,
    isStormy: !isHonest && random.chance(0.3),
    links: [drawWish(random, isBusy, ofSponsor), drawWish(random, isBusy, ofSponsor)],
    sponsor: drawSponsor(ofSponsor),
    steps,
  };
}

function drawSponsor(random: Random): SponsorWish {
  const fee = random.pick([0n, 0n, 5n, 2_000n]);
  const paysRent = random.chance(0.7);
  return {
    fee,
    maxFee: fee > 1n && random.chance(0.1) ? fee - 1n : fee,
    paysRent,
    maxPerDay: !paysRent && random.chance(0.8) ? BigInt(random.integer(0, 2)) : null,
  };
}

function drawWish(random: Random, isBusy: boolean, ofSponsor: Random): LinkWish {
  const count = isBusy || random.chance(0.5) ? random.integer(1, otherTokens.length) : 0;
  const first = random.integer(0, linkTokens.length - 1);
  const isSponsored = isBusy || ofSponsor.chance(0.2);
  const others = Array.from({ length: count }, (_, index) => ({
    token: (first + index) % linkTokens.length,
    amount: BigInt(random.pick([10, 1_000, 1_000_003])),
    isDecimal: random.chance(0.3),
  }));
  return {
    // A sponsor takes no fee in SOL.
    others: others.filter(({ token }) => !isSponsored || linkTokens[token]?.mint !== sol),
    amount: BigInt(random.pick([2, 10, 1_000, 1_000_003])),
    range: count === 0 && random.chance(0.3) ? BigInt(random.integer(1, 1_000)) : 0n,
    isSingleUse: random.chance(isBusy ? 0.5 : 0.75),
    expiresInSeconds: random.pick([60, 61, 120, 600, 3_600]),
    hasMemo: random.chance(0.4),
    isSponsored,
  };
}

function drawStep(random: Random, refundWeight: number, isBusy: boolean): LinkStep {
  const link = random.chance(0.75) ? 0 : 1;
  const service = random.integer(0, 1);
  const kind = random.weighted({
    take: isBusy ? 60 : 8,
    rush: isBusy ? 10 : 2,
    send: 3,
    forge: 12,
    wait: 2,
    expire: 2,
    finalize: 3,
    fork: 2,
    cancel: 1,
    fees: 2,
    refund: refundWeight,
    outlive: Math.ceil(refundWeight / 5),
  });
  const token = random.chance(0.6) ? 0 : random.integer(1, otherTokens.length);
  switch (kind) {
    case 'take': {
      const changes = random.chance(0.5) ? walletChanges.filter(() => random.chance(0.3)) : [];
      const payer = random.pick<PayerName>([
        ...(isBusy ? [] : payerNames),
        'rich',
        'rich',
        'second',
        'without_lamports',
      ]);
      return { kind, link, token, service, payer, changes, isSent: random.chance(isBusy ? 0.4 : 0.7) };
    }
    case 'refund': {
      const keys = random.pick([[0], [0], [1], [0, 1], [0, 0], [1, 2, 3]]);
      const part = random.pick(['rest', 'rest', 'half', 'one', 'more'] as const);
      const changes = random.chance(0.3) ? (['blockhash'] as const) : [];
      return { kind, link, keys, part, changes, isSent: random.chance(0.6) };
    }
    case 'rush':
      return {
        kind,
        link,
        payers: random.pick([
          ['rich', 'second'],
          ['rich', 'rich'],
          ['second', 'poor'],
        ] as const),
        tokens: [0, token],
      };
    case 'forge': {
      const version = random.pick(['legacy', 'legacy', 0, 1] as const);
      const extra = random.integer(1, 50);
      return { kind, link, token, forgery: random.pick(forgeries), version, extra, shape: drawShape(random) };
    }
    case 'fees':
      return {
        kind,
        basisPoints: random.pick([0, 1, 100, 250, 10_000, random.integer(0, 10_000)]),
        maximum: random.pick([1n, 5_000n, 2n ** 64n - 1n]),
        ...(random.chance(0.4) && { scheduled: random.pick([0, 100, 5_000, 9_000]) }),
      };
    case 'wait':
      return { kind, seconds: random.pick([2, 15, 100, 400]) };
    case 'expire':
      return { kind, link, offsetMs: random.pick([-1, 0, 1, 299_000, 300_001]), sends: random.chance(0.5) };
    case 'cancel':
      return { kind, link, service };
    default:
      return { kind };
  }
}

function drawShape(random: Random): Shape {
  return {
    form: random.pick(paymentForms),
    depth: random.pick([0, 0, 1, 1, 2] as const),
    reference: random.pick(['on_transfer', 'on_transfer', 'outermost', 'beside'] as const),
  };
}
