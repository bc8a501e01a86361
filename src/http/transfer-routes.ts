import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { encodeBase58 } from '../core/base58.ts';
import { parseTransferRequest } from '../core/parse-transfer-request.ts';
import type { Lifetime, TransferRequest } from '../core/transfer-plan.ts';
import { summarizeTransfer } from '../core/transfer-summary.ts';
import { AppError, type Finding } from '../errors.ts';
import type { TransferBuilder } from '../service/transfer-builder.ts';
import type { FieldValues } from '../wire/field-values.ts';
import { paths, type RequestKind } from '../wire/fields.ts';
import { readBody } from '../wire/read-body.ts';
import { successText } from '../wire/success-text.ts';
import { assertKeyAllows } from './key-permission.ts';
import { apiKeyOf } from './require-api-key.ts';

/** What the transfer routes need. */
export interface TransferRouteOptions {
  builder: TransferBuilder;
  requestDeadlineMilliseconds: number;
}

/** Registers the two paths that build transfers. */
export function registerTransferRoutes(app: FastifyInstance, options: TransferRouteOptions): void {
  for (const path of Object.values(paths)) {
    app.post(path, async (request: FastifyRequest, reply: FastifyReply) => {
      if (request.body === undefined) {
        throw new AppError('invalid_json', 'The body is empty; it must be a JSON object.');
      }
      const { kind, values, transfer } = readTransferRequest(path, request.body);
      assertKeyAllows(apiKeyOf(request).restrictions, transfer);
      const deadline = performance.now() + options.requestDeadlineMilliseconds;
      const built = await options.builder.build(transfer, deadline, values.simulate);
      setLifetimeHeaders(reply, built.lifetime);
      const body = successText({
        kind,
        transaction: encodeBytes(built.bytes, values.encoding),
        lifetimeToken: lifetimeToken(built.lifetime),
        summary: values.summary ? summarizeTransfer(built) : undefined,
      });
      return reply.type('application/json').send(body);
    });
  }
}

function readTransferRequest(
  path: (typeof paths)[keyof typeof paths],
  body: unknown,
): { kind: RequestKind; values: FieldValues; transfer: TransferRequest } {
  const { kind, values, findings } = readBody(path, body);
  const parsed = parseTransferRequest(kind, values);
  const all = [...findings, ...parsed.findings];
  if (all.length > 0 || !parsed.request) throw invalidRequest(all);
  return { kind, values, transfer: parsed.request };
}

function invalidRequest(findings: readonly Finding[]): AppError {
  const count = findings.length === 1 ? 'a fault' : `${findings.length} faults`;
  const first = findings[0]?.detail ?? '';
  const detail = `The request has ${count}${findings.length > 1 ? ', the first' : ''}: ${first}`;
  return new AppError('invalid_request', detail, { findings });
}

function setLifetimeHeaders(reply: FastifyReply, lifetime: Lifetime): void {
  reply.header('solana-blockhash', lifetimeToken(lifetime));
  // A nonce has no last block height: it lives until it is advanced.
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
