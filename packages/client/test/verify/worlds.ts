import { feeOf } from '../../../../test/judge/budget.ts';
import type { Court } from '../../../../test/judge/court.ts';
import { Random } from '../../../../test/judge/random.ts';
import { priorityFeeText, requestOf } from '../../../../test/judge/request.ts';
import { type Situation, situate } from '../../../../test/judge/situation.ts';
import { prepareWitness } from '../../../../test/judge/witness.ts';
import type { World } from '../../../../test/judge/world.ts';
import { writeWallets } from '../../../../test/judge/write-wallets.ts';
import type { BuiltTransfer } from '../../../core/src/decide/transfer-summary.ts';
import type { TransferInputs } from '../../../core/src/request/parse-transfer-request.ts';
import { unrestricted } from '../../../server/src/keys/authenticated-key.ts';
import { AppError } from '../../../server/src/problems.ts';
import { lifetimeToken } from '../../../server/src/transfers/transaction-replies.ts';
import { buildTransferReply } from '../../../server/src/transfers/transfer-reply.ts';
import { readTransfer } from '../../../server/test/app/read-bodies.ts';
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

const key = { id: 'verify', rootId: 'verify', name: 'verify', rateLimitPerMinute: null, restrictions: unrestricted };
// Without a limit there is nothing to count.
const dailyAmounts = Object({ count: async () => undefined });

/** Lets the service answer a world's request on a court's ledger, by its own reader and writer of JSON; undefined where it refuses. */
export async function answerWorld(court: Court, world: World): Promise<AnsweredWorld | undefined> {
  const { ledger, reader, builder } = court;
  const situation = await situate(ledger, world);
  const { memo, budget } = await prepareWitness(ledger, situation);
  writeWallets(ledger, situation, feeOf(situation, { ...budget }));
  reader.recentPrices = world.options.priorityFee?.kind === 'level' ? world.options.priorityFee.recentPrices : [];
  const priority = priorityFeeText(world.options.priorityFee, budget.computeUnitPrice);
  const path = paths[world.operation];
  const request = toJson(world, requestOf(situation, memo, priority));
  try {
    const read = readTransfer(path, request);
    const { text, built } = await buildTransferReply(read, key, Number.POSITIVE_INFINITY, { builder, dailyAmounts });
    const reply: unknown = JSON.parse(text);
    const isHooked = built.plan.payments.some(({ hookAccounts }) => hookAccounts.length > 0);
    const { bytes, lifetime } = built;
    return { situation, path, request, reply, built, bytes, lifetimeToken: lifetimeToken(lifetime), isHooked };
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
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
    [memoField]: inputs.memo,
    layout: inputs.layout,
    create_token_account: isTransfer ? inputs.createTokenAccount : undefined,
    splits: inputs.splits?.map(({ to, amount }) => ({ to_address: to, amount })),
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
