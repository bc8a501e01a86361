import { findAssociatedTokenPda } from '@solana-program/token-2022';
import { fixedAddress, systemProgram } from '../../../../test/judge/addresses.ts';
import { sponsorAt } from '../../../../test/judge/batches/judge-sponsored.ts';
import { feeOf } from '../../../../test/judge/budget.ts';
import type { Court } from '../../../../test/judge/court.ts';
import { Random } from '../../../../test/judge/random.ts';
import { priorityFeeText, requestOf } from '../../../../test/judge/request.ts';
import { type Situation, situate } from '../../../../test/judge/situation.ts';
import { account, writeTokenAccount } from '../../../../test/judge/token-account.ts';
import { prepareWitness } from '../../../../test/judge/witness.ts';
import type { World } from '../../../../test/judge/world.ts';
import { writeWallets } from '../../../../test/judge/write-wallets.ts';
import { sol } from '../../../core/src/addresses/address.ts';
import type { BuiltTransfer } from '../../../core/src/decide/transfer-summary.ts';
import { hasThirdSigner, thawsOf } from '../../../core/src/plan/transfer-plan.ts';
import type { TransferInputs } from '../../../core/src/request/parse-transfer-request.ts';
import { type Keypair, keypairFromName } from '../../../sandbox/src/ledger/keypair.ts';
import { unrestricted } from '../../../server/src/keys/authenticated-key.ts';
import { AppError } from '../../../server/src/problems.ts';
import { lifetimeToken } from '../../../server/src/transfers/transaction-replies.ts';
import { buildTransferReply } from '../../../server/src/transfers/transfer-reply.ts';
import { readTransfer } from '../../../server/test/app/read-bodies.ts';
import { createKoraDouble, type KoraDouble } from '../../../server/test/setup/kora-double.ts';
import type { TransferPath } from '../../src/verify/index.ts';

/** A request as it is posted, and what the service answers to it on a court's ledger. */
export interface AnsweredWorld {
  situation: Situation;
  path: TransferPath;
  request: Readonly<Record<string, unknown>>;
  /** The body of the reply, parsed. */
  reply: unknown;
  built: BuiltTransfer;
  bytes: Uint8Array;
  /** Whose signature is there already, if one is. */
  sponsor?: Keypair | undefined;
  /** The blockhash or the nonce, as the header has it. */
  lifetimeToken: string;
  isHooked: boolean;
}

const paths = {
  memo_transfer: '/v1/token-transfer-memo-hash',
  yid_transfer: '/v1/token-transfer-memo-hash',
  create_transfer: '/v1/create-token-account-transfer',
  transfer: '/v1/transfers',
} as const;

const restrictions = { ...unrestricted, sponsorsRent: true };
const key = { id: 'verify', rootId: 'verify', name: 'verify', rateLimitPerMinute: null, restrictions };

/**
 * Lets the service answer a world's request on a court's ledger, by its own reader and writer of JSON; undefined where it refuses.
 *
 * `asksMore`: the world is also drawn what only this test draws, see `askMore`.
 */
export async function answerWorld(court: Court, drawn: World, asksMore = false): Promise<AnsweredWorld | undefined> {
  const world = asksMore ? withPayer(drawn) : drawn;
  const { ledger, reader, builder } = court;
  const situation = await situate(ledger, world);
  const { memo, budget } = await prepareWitness(ledger, situation);
  writeWallets(ledger, situation, feeOf(situation, { ...budget }));
  reader.recentPrices = world.options.priorityFee?.kind === 'level' ? world.options.priorityFee.recentPrices : [];
  const priority = priorityFeeText(world.options.priorityFee, budget.computeUnitPrice);
  const path = paths[world.operation];
  const asked = toJson(world, requestOf(situation, memo, priority));
  const { request, kora, sponsor } = asksMore ? await askMore(court, situation, asked) : { request: asked };
  const sponsoring = kora && sponsorAt(kora);
  try {
    const read = readTransfer(path, request);
    const options = { builder, sponsoring };
    const { text, built } = await buildTransferReply(read, key, Number.POSITIVE_INFINITY, options);
    const reply: unknown = JSON.parse(text);
    const isHooked = built.plan.payments.some(({ hookAccounts }) => hookAccounts.length > 0);
    const { bytes, lifetime } = built;
    const token = lifetimeToken(lifetime);
    return { situation, path, request, reply, built, bytes, sponsor, lifetimeToken: token, isHooked };
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

const [tipped, paid] = [fixedAddress('who is tipped'), keypairFromName('splwright verify sponsor').address];
const tenSol = 10n ** 10n;

// So that a sponsor can be.
function withPayer(world: World): World {
  const isFit =
    world.operation === 'transfer' &&
    !world.transfer?.layout &&
    world.senderWallet !== 'vault' &&
    world.number % 3 === 0;
  const options = { ...world.options, feePayer: { wallet: 'wallet', lamports: 'plenty' } } as const;
  return isFit ? { ...world, options } : world;
}

/**
 * Asks for more, where the world leaves room: for a tip, for SOL instead of a token, and for a sponsor, free of charge or for a fee in the
 * token that is sent.
 */
async function askMore(
  { ledger }: Court,
  situation: Situation,
  asked: AnsweredWorld['request'],
): Promise<Pick<AnsweredWorld, 'request' | 'sponsor'> & { kora?: KoraDouble }> {
  const { world, sender, mint, tokenProgram, signers } = situation;
  const random = new Random(`splwright verify seed ${world.seed} world ${world.number} more`);
  if (world.operation !== 'transfer' || world.transfer?.layout) return { request: asked };
  const request: Record<string, unknown> = { ...asked };
  const isSol = random.chance(0.25);
  if (random.chance(0.3)) request.tip = { account: tipped, lamports: `${random.integer(1, 1_000_000)}` };
  ledger.setAccount(account(tipped, systemProgram, tenSol));
  if (isSol) {
    const splits = (world.transfer?.splits ?? []).map((_, index) => ({
      to_address: situation.payments[index]?.recipient,
    }));
    const amount = (): string => `${random.integer(3_000_000, 100_000_000)}`;
    Object.assign(request, { token_mint_address: 'SOL', amount: amount(), amount_decimal: undefined });
    request.splits = splits.map((split) => ({ ...split, amount: amount() }));
    ledger.setAccount(account(sender, systemProgram, tenSol));
  }
  const [sponsor] = signers;
  const isPossible = world.options.feePayer?.wallet === 'wallet' && request.transaction_version !== 1 && !request.tip;
  if (!sponsor || !isPossible || random.chance(0.2)) return { request: JSON.parse(JSON.stringify(request)) };
  const kora = createKoraDouble(sponsor, paid);
  const price = isSol || random.chance(0.3) ? { type: 'free' } : { type: 'fixed', amount: 500 };
  Object.assign(kora.rules, { price, max_allowed_lamports: Number(tenSol), allow_durable_transactions: true });
  Object.assign(request, { fee_payer: 'sponsor', max_sponsor_fee: '1000' });
  const [fee] = await findAssociatedTokenPda({ owner: paid, mint, tokenProgram });
  if (!isSol)
    writeTokenAccount(ledger, { address: fee, tokenProgram, mint, mintWorld: world.mint, owner: paid, amount: 0n });
  ledger.setAccount(account(sponsor.address, systemProgram, tenSol));
  return { request: JSON.parse(JSON.stringify(request)), kora, sponsor };
}

/** What is particular about the transaction of a reply. */
export function particularsOf({ built: { plan }, request, sponsor, isHooked }: AnsweredWorld): readonly string[] {
  const found = {
    SOL: plan.mint === sol,
    'a tip': plan.tip !== undefined,
    'a free sponsor': sponsor !== undefined && !plan.sponsorFee,
    'a fee of a sponsor': plan.sponsorFee !== undefined,
    'a hook': isHooked,
    'a thaw': thawsOf(plan).length > 0,
    wrapping: plan.wrap !== undefined,
    unwrapping: plan.unwrap !== undefined,
    'a vault': request.allow_off_curve_sender === true,
    "a nonce's authority": hasThirdSigner(plan),
  };
  return Object.entries(found).flatMap(([name, holds]) => (holds ? [name] : []));
}

/** The same bytes, signed by the sponsor, where they still have a place for that. */
export function withSponsor(bytes: Uint8Array, sponsor: Keypair): Uint8Array {
  const signed = bytes.slice();
  const message = signed.subarray(1 + 64 * (signed[0] ?? 0));
  if (message.length > 0) signed.set(sponsor.sign(message), 1);
  return signed;
}

/** The same reply with other bytes. */
export function replyWith({ reply, request }: AnsweredWorld, bytes: Uint8Array): unknown {
  const { data, ...others } = Object(reply);
  const isSingle = Array.isArray(data) || typeof data === 'string';
  const isPlain = Array.isArray(isSingle ? data : data.transaction);
  if (request.encoding === 'base58') throw new Error('not written here');
  const transaction = isPlain ? [...bytes] : Buffer.from(bytes).toString('base64');
  return { ...others, data: isSingle ? transaction : { ...data, transaction } };
}

// Encoding and summary are of the reply alone, and are drawn here.
function toJson(world: World, inputs: TransferInputs): Record<string, unknown> {
  const random = new Random(`splwright verify seed ${world.seed} world ${world.number}`);
  const memoField = world.operation === 'yid_transfer' ? 'yid' : (world.options.memoField ?? 'memo');
  const isTransfer = world.operation === 'transfer';
  const fields: Record<string, unknown> = {
    from_address: inputs.from,
    to_address: inputs.to,
    token_mint_address: inputs.mint,
    amount: inputs.amount,
    amount_decimal: inputs.amountDecimal,
    amount_received: inputs.amountReceived,
    amount_received_decimal: inputs.amountReceivedDecimal,
    [memoField]: inputs.memo,
    layout: inputs.layout,
    create_token_account: isTransfer ? inputs.createTokenAccount : undefined,
    splits: inputs.splits?.map(({ to, amount }) => ({ to_address: to, amount })),
    wrap: inputs.wrap,
    unwrap: inputs.unwrap,
    allow_off_curve_sender: inputs.allowsOffCurveSender,
    fee_payer: inputs.feePayer,
    priority_fee: inputs.priorityFee,
    nonce_account: inputs.nonceAccount,
    transaction_version: inputs.transactionVersion,
    references: inputs.references,
    allow_off_curve_recipient: inputs.allowsOffCurveRecipient,
    checks: inputs.checks,
    encoding: isTransfer ? undefined : random.pick([undefined, 'array', 'base64', 'base58']),
    summary: isTransfer || random.chance(0.7) ? undefined : true,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
