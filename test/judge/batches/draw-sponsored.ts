import { Random } from '../random.ts';
import type { commonStates } from '../token-account.ts';
import type { BatchWorld, TokenOfBatch } from './batch-world.ts';
import { drawBatch } from './draw-batch.ts';

/** Transfers that a sponsor pays for, and what the sponsor wants for that. */
export interface SponsoredWorld {
  /** Its fee payer is the sponsor. */
  batch: BatchWorld;
  /** Whether it is one transfer with splits, instead of a batch. */
  isSingle: boolean;
  price: { type: 'free' } | { type: 'fixed'; amount: number } | { type: 'margin'; margin: number };
  /** Base units by which it wants more when it signs than when it was asked. */
  surcharge: number;
  feeToken: 'same' | 'other';
  /** Whether it takes fees in that token. */
  takesToken: boolean;
  /** Whether it is paid itself, or another wallet of its operator. */
  paysItself: boolean;
  paidAccount: keyof typeof commonStates;
  /** Whether the request allows just the fee, or a base unit less. */
  allowsFee: boolean;
  /** What the sender has left once it has paid all, of the token of the fee. */
  tokensLeft: bigint;
  /** Rules of the sponsor that are not those of the double. */
  rules: Readonly<Record<string, unknown>>;
}

const maxTransfers = 60;
const maxSingle = 6;

/** Draws a world, always the same one for a seed and a number. */
export function drawSponsored(seed: number, number: number): SponsoredWorld {
  const random = new Random(`splwright judge seed ${seed} sponsored ${number}`);
  const drawn = drawBatch(seed, number);
  const isSingle = random.chance(0.5);
  const transfers = drawn.transfers
    .slice(0, isSingle ? maxSingle : maxTransfers)
    // A fee in the token of the batch is in one that it pays.
    .map((each, index) => (isSingle || index === 0 ? { ...each, token: 0 } : each));
  // In which order an owner uses up what it delegated to itself, the judge of batches tries.
  const ofSender = ({ senderTokenAccount: state }: TokenOfBatch): TokenOfBatch['senderTokenAccount'] =>
    state.startsWith('delegate') && !isSingle ? 'open' : state;
  const batch: BatchWorld = {
    ...drawn,
    transfers,
    otherTokens: isSingle ? [] : drawn.otherTokens.map((each) => ({ ...each, senderTokenAccount: ofSender(each) })),
    isSponsored: true,
    version: random.pick(['legacy', 'legacy', 0, 0, 0, random.chance(0.3) ? 1 : 0] as const),
    nonceState: random.chance(0.05) ? random.pick(['of_sender', 'of_another']) : undefined,
    senderTokenAccount: ofSender(drawn),
  };
  const isPaidTo = transfers.some(({ wallet }) => wallet === 'fee_payer');
  return {
    batch,
    isSingle,
    price: random.pick([
      { type: 'free' },
      { type: 'fixed', amount: random.integer(1, 1_000_000) },
      { type: 'margin', margin: random.pick([0, 0.1, 1]) },
    ]),
    surcharge: random.chance(0.1) ? random.integer(1, 5) : 0,
    feeToken: random.pick(['same', 'same', 'other']),
    takesToken: random.chance(0.97),
    paysItself: !isPaidTo && random.chance(0.4),
    paidAccount: random.chance(0.85)
      ? 'open'
      : random.pick(['frozen', 'owner_changed', 'cpi_guard', 'memo_required'] as const),
    allowsFee: random.chance(0.9),
    tokensLeft: random.pick([0n, 0n, 0n, 1n, 1_000n, -1n]),
    rules: drawRules(random),
  };
}

function drawRules(random: Random): SponsoredWorld['rules'] {
  const roomy = { max_allowed_lamports: 10 ** 12 };
  if (random.chance(0.8)) return roomy;
  return {
    ...roomy,
    ...random.pick([
      { max_allowed_lamports: 1 },
      { max_signatures: 1 },
      { allowed_programs: [] },
      { allow_durable_transactions: true },
      { fee_payer_policy: { system: { allow_create_account: false } } },
      { allowed_programs: 'All' },
    ]),
  };
}
