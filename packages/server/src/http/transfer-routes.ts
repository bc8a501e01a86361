import type { FastifyInstance, FastifyReply, RouteHandlerMethod } from 'fastify';
import type { Lifetime, TransferRequest } from 'splwright-core';
import { encodeBase58, summarizeTransfer, validateTransferRequest } from 'splwright-core';
import { AppError, type Finding } from '../errors.ts';
import type { DailyAmounts } from '../keys/usage/daily-amounts.ts';
import type { Operation } from '../operation.ts';
import type { TransferBuilder } from '../service/transfer-builder.ts';
import { isTransferRefused } from '../service/transfer-refused.ts';
import type { FieldValues } from '../wire/field-values.ts';
import { readBody } from '../wire/read-body.ts';
import { refusalOfTransfer } from '../wire/refusal.ts';
import { paths, type TransferPath } from '../wire/routes.ts';
import { successText } from '../wire/success-text.ts';
import { type MemoField, wordFinding } from '../wire/word-finding.ts';
import { countDailyAmount, dailyLimitOf } from './daily-limit.ts';
import type { RequestsInFlight } from './in-flight.ts';
import { assertKeyAllows } from './key-permission.ts';
import { findApiKeysInMemo } from './memo-secrecy.ts';
import { registerRoutes } from './register-routes.ts';
import { apiKeyOf } from './require-api-key.ts';

/** What the transfer routes use. */
export interface TransferRouteOptions {
  builder: TransferBuilder;
  inFlight: RequestsInFlight;
  dailyAmounts: DailyAmounts;
  requestDeadlineMs: number;
}

/** How many findings one refusal lists. */
const maxFindings = 100;

/** Registers the two paths that build transfers. */
export function registerTransferRoutes(app: FastifyInstance, options: TransferRouteOptions): void {
  registerRoutes(app, {
    buildTokenTransfer: transferHandler(paths.memoTransfer, options),
    buildCreateTokenAccountTransfer: transferHandler(paths.createTransfer, options),
  });
}

function transferHandler(path: TransferPath, options: TransferRouteOptions): RouteHandlerMethod {
  return async (request, reply) => {
    if (request.body === undefined) {
      throw new AppError('invalid_json', 'The body is empty; it must be a JSON object.');
    }
    const { operation, values, transfer } = readTransferRequest(path, request.body);
    const key = apiKeyOf(request);
    assertKeyAllows(key.restrictions, transfer);
    const deadline = performance.now() + options.requestDeadlineMs;
    const built = await options.inFlight
      .countBuild(() => options.builder.build(transfer, deadline, values.simulate))
      .catch((error: unknown) => {
        throw isTransferRefused(error) ? refusalOfTransfer(error.findings, memoFieldOf(values)) : error;
      });
    const body = successText({
      operation,
      transaction: encodeBytes(built.bytes, values.encoding),
      lifetimeToken: lifetimeToken(built.lifetime),
      summary: values.summary ? summarizeTransfer(built) : undefined,
    });
    // Counted last: only a transaction that is sent counts.
    const dailyLimit = dailyLimitOf(key, transfer);
    if (dailyLimit !== undefined) {
      await options.inFlight.countBuild(() => countDailyAmount(options.dailyAmounts, key, transfer, dailyLimit));
    }
    setLifetimeHeaders(reply, built.lifetime);
    return reply.type('application/json').send(body);
  };
}

function readTransferRequest(
  path: TransferPath,
  body: unknown,
): { operation: Operation; values: FieldValues; transfer: TransferRequest } {
  const { operation, values, findings, unlistedCount } = readBody(path, body);
  const memoField = memoFieldOf(values);
  const parsed = validateTransferRequest(operation, memoField === 'memo' ? values : { ...values, memo: values.yid });
  const worded = parsed.findings.flatMap((finding) => [
    wordFinding(finding, memoField),
    // Both were sent: where the memo is at fault, what is wrong with the yid is said as well.
    ...(finding.field === 'memo' && memoField === 'memo' ? findYidFaults(operation, values) : []),
  ]);
  const all = [...findings, ...worded, ...findApiKeysInMemo(values)];
  if (all.length > 0 || !parsed.request) throw invalidRequest(all, unlistedCount);
  return { operation, values, transfer: parsed.request };
}

// The core knows only one memo: the field that it came in is named here.
function memoFieldOf({ memo }: FieldValues): MemoField {
  return memo === undefined ? 'yid' : 'memo';
}

function findYidFaults(operation: Operation, values: FieldValues): Finding[] {
  return validateTransferRequest(operation, { ...values, memo: values.yid })
    .findings.filter(({ field }) => field === 'memo')
    .map((finding) => wordFinding(finding, 'yid'));
}

function invalidRequest(all: readonly Finding[], unlistedCount: number): AppError {
  const count = all.length + unlistedCount;
  const findings = all.length > maxFindings ? knownFieldsFirst(all).slice(0, maxFindings) : all;
  const first = findings[0]?.detail ?? '';
  const more =
    count > findings.length ? ` (${findings.length} are listed, ${count - findings.length} more are not)` : '';
  const detail = `The request has ${count === 1 ? 'a fault' : `${count} faults${more}, the first`}: ${first}`;
  return new AppError('invalid_request', detail, { findings });
}

// There may be thousands of unknown fields: findings about known fields come first.
function knownFieldsFirst(findings: readonly Finding[]): readonly Finding[] {
  const isUnknown = ({ code }: Finding): boolean => code === 'unknown_field';
  return [...findings.filter((finding) => !isUnknown(finding)), ...findings.filter(isUnknown)];
}

function setLifetimeHeaders(reply: FastifyReply, lifetime: Lifetime): void {
  reply.header('solana-blockhash', lifetimeToken(lifetime));
  // A nonce has no last block height: it is valid until it is advanced.
  if ('blockhash' in lifetime) {
    reply.header('solana-last-valid-block-height', lifetime.lastValidBlockHeight.toString());
  }
}

function lifetimeToken(lifetime: Lifetime): string {
  return 'blockhash' in lifetime ? lifetime.blockhash : lifetime.nonce;
}

function encodeBytes(bytes: Uint8Array, encoding: FieldValues['encoding']): Uint8Array | string {
  switch (encoding) {
    case 'base64':
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
    case 'base58':
      return encodeBase58(bytes);
    default:
      return bytes;
  }
}
