import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { findAssociatedTokenPda } from '@solana-program/token-2022';
import { toAddress } from '../../../packages/core/src/addresses/address.ts';
import { validateBatchRequest } from '../../../packages/core/src/batch/validate-batch-request.ts';
import { validateTransferRequest } from '../../../packages/core/src/decide/validate-transfer-request.ts';
import { finish } from '../../../packages/core/src/plan/steps.ts';
import type { Ledger } from '../../../packages/sandbox/src/index.ts';
import { type Keypair, keypairFromName } from '../../../packages/sandbox/src/ledger/keypair.ts';
import { Work } from '../../../packages/server/src/app/work.ts';
import { AppError, isAppError, type ProblemCode } from '../../../packages/server/src/problems.ts';
import { Sponsor } from '../../../packages/server/src/sponsor/sponsor.ts';
import type { Draft } from '../../../packages/server/src/sponsor/sponsor-rules.ts';
import { BatchBuilder, plannedOf } from '../../../packages/server/src/transfers/batch-builder.ts';
import { buildSponsored, type SponsorParts } from '../../../packages/server/src/transfers/build-sponsored.ts';
import { MintHints } from '../../../packages/server/src/transfers/decide-from-chain.ts';
import { TransferBuilder } from '../../../packages/server/src/transfers/transfer-builder.ts';
import { isTransferRefused } from '../../../packages/server/src/transfers/transfer-refused.ts';
import { createKoraDouble, type KoraDouble, KoraError } from '../../../packages/server/test/setup/kora-double.ts';
import { nameIn } from '../addresses.ts';
import { type Court, maxPriorityFeeLamports, openCourt, passTime } from '../court.ts';
import { inOneLine, type JudgedWorld, type Subject } from '../judge.ts';
import { safetyRefusals } from '../judge-refusal.ts';
import { LedgerChainReader } from '../ledger-chain-reader.ts';
import { otherToken, writeOtherAccount, writeOtherMints } from '../other-mint.ts';
import { Random } from '../random.ts';
import { commonStates, writeTokenAccount } from '../token-account.ts';
import { readTransaction, signTransaction } from '../transaction.ts';
import { type BatchStage, stageBatch, writeBatch } from './batch-stage.ts';
import { batchLamports, describeBatch } from './batch-world.ts';
import { inputsOf } from './decide-batch.ts';
import { drawSponsored, type SponsoredWorld } from './draw-sponsored.ts';
import { costOf } from './judge-batch.ts';
import { landBatch, type PaidBatch, sendFor } from './land-batch.ts';

/** Worlds of transfers and batches that a sponsor signs and pays for, free of charge or for a fee in a token. */
export const sponsored: Subject<Court> = {
  name: 'sponsored',
  open: openCourt,
  worldsAtAPlace: 100,
  judge: judgeSponsored,
};

/** A world on a ledger. */
interface Setup {
  world: SponsoredWorld;
  stage: BatchStage;
  kora: KoraDouble;
  sponsor: Keypair;
  /** Where the fee goes. */
  paidWallet: Keypair;
}

/** What the service answers: transactions, with the signature of the sponsor; or the codes of a refusal and what the sponsor was to see. */
type Answer =
  | (PaidBatch & { bytes: readonly Uint8Array[]; signed: readonly Uint8Array[] })
  | { codes: readonly ProblemCode[]; drafts: readonly Draft[] };

const anyFee = 10n ** 15n;
const manyTokens = 10n ** 12n;
const maxOrders = 8;

async function judgeSponsored(court: Court, seed: number, number: number): Promise<JudgedWorld> {
  const { ledger } = court;
  const world = drawSponsored(seed, number);
  const setup = await setUp(court, world);
  const lines = [describeBatch(world.batch), `  ${inOneLine({ ...world, batch: undefined })}`];
  const write = async (lamports: bigint, tokensLeft: bigint, fees: bigint): Promise<void> => {
    passTime(court, 1);
    await writeBatch(ledger, setup.stage, lamports);
    await writeFeeAccounts(ledger, setup, tokensLeft, fees);
  };
  await write(batchLamports.plenty(), manyTokens, 0n);
  const rich = await ask(ledger, setup, 'full', anyFee);
  if (!('transactions' in rich)) {
    const disagreements = await judgeRefusal(ledger, setup, rich, anyFee, () =>
      write(batchLamports.plenty(), manyTokens, 0n),
    );
    return { lines, codes: rich.codes, disagreements };
  }
  // Once more, with what its sender and its sponsor just need, or a little less, and the fee just allowed, or not.
  const fees = feesOf(rich);
  const maxFee = fees - (world.allowsFee || fees === 0n ? 0n : 1n);
  const minimum = ledger.minimumBalanceForRentExemption(0n);
  const cost = costOf(ledger, setup.stage, rich);
  const lamports = batchLamports[world.batch.lamports]({ cost, minimum });
  await write(lamports, world.tokensLeft, fees);
  const answer = await ask(ledger, setup, 'full', maxFee);
  const kind = world.isSingle ? 'single' : new Set(setup.stage.situations).size > 1 ? 'several tokens' : 'batch';
  const happened = [[`${kind}, ${fees > 0n ? `for ${world.feeToken}` : 'free'}`, 1] as const];
  if ('transactions' in answer) {
    const random = new Random(`splwright judge seed ${seed} sponsored ${number} order`);
    const faults = [...judgeSigned(setup, answer), ...landBatch(ledger, setup.stage, answer, random)];
    if (feesOf(answer) > maxFee) faults.push(`it takes ${feesOf(answer)}, and ${maxFee} are allowed`);
    return { lines, disagreements: faults, happened };
  }
  const isPoor = lamports < minimum && answer.codes.includes('insufficient_sol');
  const again = () => write(lamports, world.tokensLeft, fees);
  const disagreements = isPoor ? [] : await judgeRefusal(ledger, setup, answer, maxFee, again);
  return { lines, codes: answer.codes, disagreements, happened };
}

function feesOf({ transactions }: PaidBatch): bigint {
  const amounts = transactions.flatMap(({ plan }) => plan.sponsorFee?.payments.map(({ amount }) => amount) ?? []);
  return amounts.reduce((sum, amount) => sum + amount, 0n);
}

async function setUp({ ledger }: Court, world: SponsoredWorld): Promise<Setup> {
  const stage = await stageBatch(world.batch);
  const [sponsor] = stage.situation.signers;
  if (!sponsor) throw new Error('a sponsor signs');
  const paidWallet = world.paysItself ? sponsor : keypairFromName(nameIn(stage.situation.world, 'paid'));
  const kora = createKoraDouble(sponsor, paidWallet.address);
  const { mint } = stage.situation;
  const feeMint = world.feeToken === 'same' ? mint : otherToken.mint;
  Object.assign(kora.rules, world.rules, {
    price: world.price,
    allowed_spl_paid_tokens: world.takesToken ? [feeMint] : [],
  });
  kora.surcharge = world.surcharge;
  writeOtherMints(ledger);
  return { world, stage, kora, sponsor, paidWallet };
}

/** Writes the sponsor's token account, and what the sender has besides: `left` once it has paid all, `fees` included. */
async function writeFeeAccounts(ledger: Ledger, setup: Setup, left: bigint, fees: bigint): Promise<void> {
  const { world, stage, paidWallet } = setup;
  const { sender, senderTokenAccount, mint, tokenProgram, world: own } = stage.situation;
  const drawn = commonStates[world.paidAccount];
  const state = 'extensions' in drawn && tokenProgram === TOKEN_PROGRAM_ADDRESS ? {} : drawn;
  if (world.feeToken === 'other') {
    await writeOtherAccount(ledger, otherToken, sender, left + fees < 0n ? 0n : left + fees);
    await writeOtherAccount(ledger, otherToken, paidWallet.address, 7n, world.paidAccount === 'frozen');
    return;
  }
  const owner = paidWallet.address;
  const [paid] = await findAssociatedTokenPda({ owner, mint, tokenProgram });
  const ofOne = { tokenProgram, mint, mintWorld: own.mint };
  writeTokenAccount(ledger, { ...ofOne, address: paid, owner, amount: 7n, ...state });
  const found = ledger.getAccount(senderTokenAccount);
  const isEnough = own.balance === 'exact' || own.balance === 'plenty';
  if (!found || found.programAddress !== tokenProgram || !isEnough) return;
  const data = Uint8Array.from(found.data);
  const view = new DataView(data.buffer);
  const amount = own.amount + fees + left;
  const more = own.mint.kind === 'native' ? amount - view.getBigUint64(64, true) : 0n;
  view.setBigUint64(64, amount, true);
  ledger.setAccount({ ...found, data, lamports: Object(found.lamports + more) });
}

/** A sponsor in this process. `now`: a monotonic clock in milliseconds. */
export function sponsorAt(kora: KoraDouble, now: () => number = () => 0): SponsorParts {
  const call = async (method: string, params: object): Promise<unknown> => {
    try {
      return kora.call(method, Object(params));
    } catch (error) {
      throw error instanceof KoraError ? new AppError('sponsor_refused', error.message) : error;
    }
  };
  return { sponsor: new Sponsor({ call }, now), balance: Object(undefined) };
}

/** Asks the service as its routes do. */
async function ask(ledger: Ledger, setup: Setup, checks: 'full' | 'none', maxFee: bigint): Promise<Answer> {
  const { world, stage, kora } = setup;
  const { priorityFee } = world.batch;
  const reader = new LedgerChainReader(ledger);
  reader.recentPrices = priorityFee?.kind === 'level' ? priorityFee.recentPrices : [];
  const parts = sponsorAt(kora);
  const feeMint = world.feeToken === 'same' ? undefined : toAddress(otherToken.mint);
  const restrictions = { sponsorsRent: true };
  const asked = { request: { feeMint, maxFee }, restrictions, deadline: Number.POSITIVE_INFINITY };
  const seen: Draft[] = [];
  const see = (drafts: readonly Draft[]): readonly Draft[] => {
    seen.splice(0, seen.length, ...drafts);
    return drafts;
  };
  const options = { maxPriorityFeeLamports, hints: new MintHints() };
  const { transfers, ...inputs } = { ...inputsOf(stage), checks };
  try {
    if (world.isSingle) {
      const [main, ...others] = transfers ?? [];
      const splits = others.map(({ to }, index) => ({ to, amount: `${world.batch.transfers[index + 1]?.amount}` }));
      const { request, findings } = validateTransferRequest({ ...inputs, ...main, splits });
      if (!request) return { codes: findings.map(({ code }) => code), drafts: [] };
      const builder = new TransferBuilder(reader, options);
      const { built, signed } = await buildSponsored(asked, parts, {
        request,
        build: (each, askFees) =>
          builder.build(each, asked.deadline, false, askFees && ((drafts) => askFees(see(drafts)))),
        draftsOf: (each) => see([each]),
      });
      const transferIndices = [...others.map((_, index) => index + 1), 0];
      return { transactions: [{ plan: built.plan, transfers: transferIndices }], bytes: [built.bytes], signed };
    }
    const { request, findings } = finish(validateBatchRequest({ ...inputs, transfers }));
    if (!request) return { codes: findings.map(({ code }) => code), drafts: [] };
    const builder = new BatchBuilder(reader, options);
    const { built, signed } = await buildSponsored(asked, parts, {
      request,
      build: (each, askFees) => builder.build(each, new Work(), askFees && ((drafts) => askFees(see(drafts)))),
      draftsOf: (each) =>
        see(plannedOf(each).map((planned, index) => ({ ...planned, bytes: each.bytes[index] ?? new Uint8Array() }))),
    });
    return { transactions: built.transactions, bytes: built.bytes, signed };
  } catch (error) {
    if (isTransferRefused(error)) return { codes: error.findings.map(({ code }) => code), drafts: [] };
    if (!isAppError(error)) throw error;
    return { codes: [error.code], drafts: seen };
  }
}

/** Says where what the sponsor has signed is not what was built with its one signature. */
function judgeSigned({ sponsor }: Setup, { bytes, signed }: Extract<Answer, PaidBatch>): string[] {
  return bytes.flatMap((each, index) => {
    const expected = signTransaction(readTransaction(each), [sponsor]);
    return Buffer.compare(expected, signed[index] ?? new Uint8Array()) === 0 ? [] : [`${index} is signed otherwise`];
  });
}

/** Says where a refusal is of what the sponsor would sign, or of what lands in every order that is tried. `again` writes the world again. */
async function judgeRefusal(
  ledger: Ledger,
  setup: Setup,
  { codes, drafts }: Extract<Answer, { codes: readonly ProblemCode[] }>,
  maxFee: bigint,
  again: () => Promise<void>,
): Promise<string[]> {
  const { kora, world } = setup;
  const isFree = world.price.type === 'free';
  if (codes.includes('sponsor_fee_too_high')) {
    const fees = drafts.map((draft) => estimate(kora, draft));
    const total = fees.reduce((sum, fee) => sum + fee, 0n);
    return total > maxFee ? [] : [`refused for a fee of ${total}, and ${maxFee} are allowed`];
  }
  if (codes.includes('sponsor_refused')) {
    const isForItsFee = !isFree && (!world.takesToken || world.surcharge > 0);
    kora.rules.price = { type: 'free' };
    const isSigned = drafts.every((draft) => isSignedBy(kora, draft));
    return isForItsFee || !isSigned ? [] : ['refused for the sponsor, which signs it'];
  }
  if (codes.every((code) => safetyRefusals.has(code))) return [];
  const asked = await ask(ledger, setup, 'none', anyFee);
  if (!('transactions' in asked)) {
    // The sponsor is asked last.
    const others = asked.codes.filter((code) => !codes.includes(code) && code !== 'sponsor_refused');
    return others.length > 0 ? [`refused for ${others} without checks, and with them for ${codes}`] : [];
  }
  for (let order = 0; order < Math.min(maxOrders, asked.bytes.length); order += 1) {
    await again();
    const fresh = await ask(ledger, setup, 'none', anyFee);
    if (!('transactions' in fresh)) return ['the same request without checks is refused the second time'];
    const bytes = [...fresh.bytes.slice(order), ...fresh.bytes.slice(0, order)];
    const lands = bytes.every((each) => sendFor(ledger, setup.stage, readTransaction(each)).kind === 'landed');
    if (!lands) return [];
  }
  return [`refused for ${codes}, and it lands in every order that was tried`];
}

function estimate(kora: KoraDouble, { bytes }: Draft): bigint {
  const transaction = Buffer.from(bytes).toString('base64');
  const [token] = Object(kora.rules).allowed_spl_paid_tokens;
  return BigInt(Object(kora.call('estimateTransactionFee', { transaction, fee_token: token })).fee_in_token);
}

function isSignedBy(kora: KoraDouble, { plan, bytes }: Draft): boolean {
  // Its own reader knows no other versions.
  if (plan.version === 1) return false;
  try {
    return Boolean(kora.call('signTransaction', { transaction: Buffer.from(bytes).toString('base64') }));
  } catch (error) {
    if (error instanceof KoraError) return false;
    throw error;
  }
}
