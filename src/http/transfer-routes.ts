import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { parseTransferRequest } from '../core/parse-transfer-request.ts';
import type { TransferRequest } from '../core/transfer-plan.ts';
import { AppError, type Finding } from '../errors.ts';
import type { BuiltTransfer, TransferBuilder } from '../service/transfer-builder.ts';
import { paths, type RequestKind } from '../wire/fields.ts';
import { readBody } from '../wire/read-body.ts';
import { statusTexts } from '../wire/replies.ts';

/** What the transfer routes need. */
export interface TransferRouteOptions {
  builder: TransferBuilder;
  requestDeadlineMilliseconds: number;
}

/** Registers the two paths that build transfers. */
export function registerTransferRoutes(app: FastifyInstance, options: TransferRouteOptions): void {
  for (const path of Object.values(paths)) {
    app.post(path, async (request: FastifyRequest, reply: FastifyReply) => {
      if (request.body === undefined)
        throw new AppError('invalid_json', 'The body is empty; it must be a JSON object.');
      const { kind, transfer } = readTransferRequest(path, request.body);
      const deadline = AbortSignal.timeout(options.requestDeadlineMilliseconds);
      const built = await options.builder.build(transfer, deadline);
      return reply
        .header('solana-blockhash', built.blockhash)
        .header('solana-last-valid-block-height', built.lastValidBlockHeight.toString())
        .type('application/json')
        .send(JSON.stringify(successBody(kind, built)));
    });
  }
}

function readTransferRequest(
  path: (typeof paths)[keyof typeof paths],
  body: unknown,
): { kind: RequestKind; transfer: TransferRequest } {
  const { kind, texts, findings } = readBody(path, body);
  const parsed = parseTransferRequest(kind, texts);
  const all = [...findings, ...parsed.findings];
  if (all.length > 0 || !parsed.request) throw invalidRequest(all);
  return { kind, transfer: parsed.request };
}

function invalidRequest(findings: readonly Finding[]): AppError {
  const count = findings.length === 1 ? 'a fault' : `${findings.length} faults`;
  const first = findings[0]?.detail ?? '';
  const detail = `The request has ${count}${findings.length > 1 ? ', the first' : ''}: ${first}`;
  return new AppError('invalid_request', detail, { findings });
}

function successBody(kind: RequestKind, built: BuiltTransfer): object {
  const transaction = Array.from(built.bytes);
  const data = kind === 'memo_transfer' ? { transaction, latestBlockhash: built.blockhash } : transaction;
  return { data, status: statusTexts[kind] };
}
