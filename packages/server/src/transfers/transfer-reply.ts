import { decodeTransaction, encodeBase58, sentAmount, summarizeTransfer } from 'splwright-core';
import { type Metadata, readMetadata } from '../app/metadata.ts';
import type { Incomplete } from '../app/read-shape.ts';
import type { Deadline } from '../chain/chain-reader.ts';
import type { AuthenticatedKey } from '../keys/authenticated-key.ts';
import { amountsMoved, assertKeyAllows, assertKeyAllowsNonce } from '../keys/key-permission.ts';
import type { BuiltAmount } from '../keys/usage/daily-amounts.ts';
import { describeSimulationError } from '../outcomes/transaction-error-words.ts';
import { AppError } from '../problems.ts';
import { countedCosts } from '../sponsor/sponsored-lamports.ts';
import { buildSponsored, type SponsorParts } from './build-sponsored.ts';
import type { ReadTransferRequest, SingleOperation } from './read-transfer-request.ts';
import {
  lifetimeJson,
  lifetimeToken,
  successText,
  summaryJson,
  type TransferData,
  toBase64,
  transferText,
} from './transaction-replies.ts';
import type { NamedTransfer, TransferBuilder } from './transfer-builder.ts';
import { isTransferRefused, SimulationFailed } from './transfer-refused.ts';
import type { TransferFields } from './transfer-schema.ts';
import { refusalOfTransfer } from './words/finding-words.ts';

export interface TransferReplyOptions {
  builder: TransferBuilder;
  /** Signs for `fee_payer: "sponsor"`; absent where there is none. */
  sponsoring?: SponsorParts | undefined;
  /** The world of the service's own sandbox; absent on a real network. */
  sandboxWorld?: object;
}

/** The body of a success, and what was built. */
export interface TransferReply {
  text: string;
  built: NamedTransfer;
  /** What it moves, and costs a sponsor: not counted yet. */
  amounts: readonly BuiltAmount[];
}

/**
 * Builds the transfer of a request that its key allows. Its caller counts the amounts towards the daily limits of the key, before it hands
 * anything out.
 *
 * Throws an `AppError`.
 */
export async function buildTransferReply(
  asked: ReadTransferRequest,
  key: AuthenticatedKey,
  deadline: Deadline,
  options: TransferReplyOptions,
): Promise<TransferReply> {
  const { operation, values, transfer } = asked;
  const { sandboxWorld } = options;
  let built: SponsoredTransfer;
  try {
    built = await build(asked, key, deadline, options);
  } catch (error) {
    throw describeRefusal(error, asked, sandboxWorld !== undefined);
  }
  const amount = sentAmount(built.plan);
  // Before the chain was read, another amount had no base units yet.
  if (typeof transfer.amount !== 'bigint') assertKeyAllows(key.restrictions, operation, asked, amount);
  assertKeyAllowsNonce(key.restrictions, built.plan);
  const text = replyText(operation, values, built);
  return { text, built, amounts: [...amountsMoved(transfer, amount), ...built.costs] };
}

/** A transfer that was built, and what it costs a sponsor. */
interface SponsoredTransfer extends NamedTransfer {
  costs: readonly BuiltAmount[];
}

async function build(
  { values, transfer, sponsored }: ReadTransferRequest,
  { restrictions }: AuthenticatedKey,
  deadline: Deadline,
  { builder, sponsoring }: TransferReplyOptions,
): Promise<SponsoredTransfer> {
  if (!sponsored) return { ...(await builder.build(transfer, deadline, values.simulate)), costs: [] };
  const { built, signed, costs } = await buildSponsored({ request: sponsored, restrictions, deadline }, sponsoring, {
    request: transfer,
    build: (request, askFees) => builder.build(request, deadline, values.simulate, askFees),
    draftsOf: (each) => [each],
  });
  return { ...built, bytes: signed[0] ?? built.bytes, costs: [countedCosts(costs)] };
}

function describeRefusal(
  error: unknown,
  { memoField, transfer, sponsored }: ReadTransferRequest,
  isOnSandbox: boolean,
): unknown {
  if (isTransferRefused(error)) {
    const isSponsored = sponsored !== undefined;
    const { layout, version, isFromVault = false } = transfer;
    const hasVersion1 = layout === 'default' && version !== 1 && !isFromVault && !isSponsored;
    return refusalOfTransfer(error.findings, memoField, { isOnSandbox, isSponsored, hasVersion1 });
  }
  return error instanceof SimulationFailed ? refusalOfSimulation(error) : error;
}

/** The refusal of a transaction that failed when the node ran it: which instruction, of which program, and why. */
export function refusalOfSimulation({ error, logs, instructions }: SimulationFailed): AppError {
  return new AppError('simulation_failed', describeSimulationError(error, logs, instructions), { logs });
}

/** The JSON text of the reply to a request that was built, in the shape of its operation. */
function replyText(operation: SingleOperation, values: Incomplete<TransferFields>, built: NamedTransfer): string {
  if (operation === 'transfer') return transferText(transferData(built, readMetadata(values.metadata)));
  return successText({
    operation,
    transaction: encodeBytes(built.bytes, values.encoding),
    lifetimeToken: lifetimeToken(built.lifetime),
    summary: values.summary ? summaryJson(summarizeTransfer(built), built) : undefined,
  });
}

function transferData(built: NamedTransfer, metadata: Metadata | undefined): TransferData {
  const summary = summaryJson(summarizeTransfer(built), built);
  return {
    transaction: toBase64(built.bytes),
    transaction_version: summary.transaction_version,
    lifetime: lifetimeJson(built.plan.nonce, built.lifetime),
    signers: summary.signers,
    ...(built.plan.isFromVault && { multisig_import: importJson(built.bytes) }),
    ...(metadata && { metadata }),
    summary,
  };
}

function importJson(bytes: Uint8Array): NonNullable<TransferData['multisig_import']> {
  const { message } = decodeTransaction(bytes);
  return {
    transaction_base58: encodeBase58(bytes),
    message: toBase64(message),
    message_base58: encodeBase58(message),
  };
}

function encodeBytes(bytes: Uint8Array, encoding: TransferFields['encoding']): Uint8Array | string {
  switch (encoding) {
    case 'base64':
      return toBase64(bytes);
    case 'base58':
      return encodeBase58(bytes);
    default:
      return bytes;
  }
}
