import type { NonceState } from '../options-world.ts';
import { Random } from '../random.ts';

/** What the address of one who is paid is. */
export type PayeeKind = keyof typeof payeeWeights;
const payeeWeights = {
  wallet: 60,
  earlier: 5,
  fee_payer: 8,
  sender: 1,
  program: 1,
  builtin_program: 1,
  sysvar: 1,
  sysvar_without_account: 1,
  unused_program: 1,
  incinerator: 1,
  token_account: 1,
  mint: 1,
  multisig: 1,
  foreign_account: 1,
  nonce: 1,
  off_curve: 4,
};

/** One who is paid, in lamports. */
export interface Payee {
  kind: PayeeKind;
  /** What a wallet holds before. */
  held: bigint;
  amount: bigint;
}

/** What is odd about a wallet that pays. */
export type SpenderKind = 'wallet' | 'nonce' | 'foreign_account';

/** A wallet that pays, and what it has left once it has paid all that is asked of it; less than nothing where it lacks that. */
export interface Spender {
  kind: SpenderKind;
  left: bigint;
}

/** Payments of SOL, and all that they depend on. The first payee of a single transfer is the recipient, the others are splits. */
export interface SolWorld {
  seed: number;
  number: number;
  isBatch: boolean;
  /** Whether the sender is a multisig's vault, of a single transfer for import into a proposal. */
  isFromVault: boolean;
  sender: Spender;
  /** `undefined` where the sender pays the fee. */
  feePayer: Spender | undefined;
  payees: readonly Payee[];
  /** Of a batch: who is paid in a token, too, in transactions of their own. `new`: has no token account yet. */
  tokenPayees: readonly ('new' | 'known')[];
  /** Of a single transfer. */
  tip: Payee | undefined;
  nonceState: NonceState | undefined;
  memo: string | undefined;
  referenceCount: number;
  version: 'legacy' | 0 | 1;
  /** Micro-lamports per compute unit. */
  price: bigint | undefined;
  allowsOffCurve: boolean;
}

/** Draws a world, always the same one for a seed and a number. `minimum`: what an account without data must hold. */
export function drawSolWorld(seed: number, number: number, minimum: bigint): SolWorld {
  const random = new Random(`splwright judge seed ${seed} world ${number} sol`);
  const isBatch = random.chance(0.3);
  const hasPayer = random.chance(0.4);
  const count = isBatch ? random.pick([1, 2, 3, 5, 12, 40]) : random.pick([1, 1, 1, 2, 3, 6]);
  const isOdd = random.chance(0.35);
  const drawPayee = (drawn: PayeeKind, index: number): Payee => {
    const isPossible = (drawn !== 'earlier' || index > 0) && (drawn !== 'fee_payer' || hasPayer);
    const kind = isPossible ? drawn : 'wallet';
    const held = kind === 'wallet' || kind === 'off_curve' ? random.pick(balancesAround(minimum)) : 0n;
    return { kind, held, amount: drawAmount(random, held, minimum, isOdd) };
  };
  const payees = Array.from({ length: count }, (_, index) => {
    return drawPayee(
      isOdd && random.chance(1 / count) ? random.weighted(payeeWeights) : random.pick(plainKinds),
      index,
    );
  });
  const tipKinds = random.chance(0.4) ? tippedKinds : (['wallet', 'wallet', 'earlier', 'sender'] as const);
  const world: SolWorld = {
    seed,
    number,
    isBatch,
    isFromVault: false,
    sender: drawSpender(random, minimum),
    feePayer: hasPayer ? drawSpender(random, minimum) : undefined,
    payees,
    tokenPayees: isBatch && random.chance(0.5) ? random.pick(tokenPayees) : [],
    tip: !isBatch && random.chance(0.3) ? drawPayee(random.pick(tipKinds), count) : undefined,
    nonceState: random.chance(0.25) ? random.pick(nonceStates) : undefined,
    memo: random.chance(0.4) ? 'a'.repeat(random.pick([1, 12, 200])) : undefined,
    referenceCount: random.pick([0, 0, 0, 1, 3]),
    version: random.pick(['legacy', 'legacy', 0, 1] as const),
    price: random.chance(0.2) ? BigInt(random.pick([1, 50_000, 1_000_000])) : undefined,
    allowsOffCurve: random.chance(0.3),
  };
  return isBatch ? drawRepaid(world, minimum) : drawVault(world);
}

/** Lets some transfers be from a vault, without what a proposal has not, from draws of their own: all others stay what they are. */
function drawVault(world: SolWorld): SolWorld {
  const random = new Random(`splwright judge seed ${world.seed} world ${world.number} sol vault`);
  if (world.isBatch || !random.chance(0.15)) return world;
  return {
    ...world,
    isFromVault: true,
    payees: world.payees.map((each) => (each.kind === 'fee_payer' ? { ...each, kind: 'wallet' } : each)),
    ...{ feePayer: undefined, tip: undefined, nonceState: undefined, price: undefined },
    version: random.pick(['legacy', 0] as const),
  };
}

/**
 * Lets some fee payers be paid by one transaction of a batch whose fees are as high as the minimum, so that they may have nothing at that
 * moment: from draws of their own, too.
 */
function drawRepaid(world: SolWorld, minimum: bigint): SolWorld {
  const random = new Random(`splwright judge seed ${world.seed} world ${world.number} sol repaid`);
  if (!world.feePayer || !random.chance(0.25)) return world;
  const payees = Array.from({ length: random.pick([22, 30, 45]) }, (_, index): Payee => {
    const isPayer = index === 0 || random.chance(0.05);
    const amount = random.pick(isPayer ? [minimum - 1n, minimum, 2n * minimum, 3n * minimum] : [minimum]);
    return isPayer ? { kind: 'fee_payer', held: 0n, amount } : { kind: 'wallet', held: minimum, amount };
  });
  // A transaction of such transfers asks for so many compute units, or a few more.
  const price = (minimum * 1_000_000n) / random.pick([20_000n, 20_000n, 22_000n]);
  return {
    ...world,
    ...{ payees, tokenPayees: [], nonceState: undefined, memo: undefined, price },
    sender: { kind: 'wallet', left: 10n ** 9n },
    feePayer: { kind: 'wallet', left: random.pick([0n, 0n, 0n, -1n, 1n]) },
  };
}

const tokenPayees = [['new'], ['known'], ['known', 'new'], ['new', 'new', 'known', 'new']] as const;
const tippedKinds = Object.keys(payeeWeights) as PayeeKind[];
const nonceStates = ['of_sender', 'of_fee_payer', 'of_another', 'of_another', 'of_a_vault', 'missing'] as const;
const plainKinds: readonly PayeeKind[] = [...new Array<PayeeKind>(10).fill('wallet'), 'earlier', 'fee_payer'];

function balancesAround(minimum: bigint): readonly bigint[] {
  return [0n, 0n, 0n, 1n, minimum - 1n, minimum, minimum + 1n, 10n ** 9n, 10n ** 9n];
}

// Mostly as much as lets the payee be, and sometimes just too little.
function drawAmount(random: Random, held: bigint, minimum: bigint, isOdd: boolean): bigint {
  const missing = held < minimum ? minimum - held : 1n;
  const enough = [missing, missing + 1n, minimum, minimum + 1n, 3n * minimum];
  const any = [1n, missing - 1n, minimum - 1n, BigInt(random.integer(1, 2 * Number(minimum)))];
  const amount = random.pick(isOdd && random.chance(0.4) ? any : enough);
  return amount > 0n ? amount : 1n;
}

function drawSpender(random: Random, minimum: bigint): Spender {
  const isOdd = random.chance(0.25);
  const lefts = isOdd ? [-1n, 1n, minimum - 1n, -minimum] : [0n, minimum, minimum + 1n, 10n ** 9n];
  const kind = random.weighted<SpenderKind>({ wallet: 40, nonce: 1, foreign_account: 1 });
  return { kind, left: random.pick(lefts) };
}
