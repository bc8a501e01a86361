import {
  VerificationError,
  type VerifiedBatch,
  type VerifiedTransfer,
  verifyBatch,
  verifyTransfer,
} from 'splwright-client/verify';
import { summarizeTransaction, TransactionDecodeError } from 'splwright-core';
import { incomingPath } from '../incoming/incoming-routes.ts';
import { linksPath } from '../links/link-route-schemas.ts';
import { outcomePath } from '../outcomes/outcome-routes.ts';
import { paths } from '../transfers/transfer-schema.ts';
import { describeTransaction, readTransactionBytes } from '../transfers/words/describe-transaction.ts';
import { readOrder } from './order-key.ts';

/** The arguments of a call, as the model sent them: the routes check them. */
type Arguments = Readonly<Record<string, unknown>>;

/** A request to a route of this service. */
export interface RouteRequest {
  method: 'GET' | 'POST';
  url: string;
  body?: object;
  idempotencyKey?: string;
}

/** A value for the model, and whether it is a refusal. */
export interface ToolAnswer {
  isError: boolean;
  value: object;
}

/** Sends a request to a route of this service with the API key of the caller. */
export type AskRoute = (request: RouteRequest) => Promise<ToolAnswer>;

/** Runs a tool. Rejects only on a bug. */
export type Tool = (given: Arguments, ask: AskRoute) => Promise<ToolAnswer>;

/** The tools by their names. Each asks a route of this service, or reads bytes. */
export const tools: Readonly<Record<string, Tool>> = {
  // A batch of one: an order then has one key on one path, whichever of the two tools builds it.
  build_transfer: ({ order, from_address, token_mint_address, ...transfer }, ask) =>
    buildOrder({ order, from_address, token_mint_address, transfers: [transfer] }, ask),
  build_batch: buildOrder,
  transfer_outcome: (question, ask) => ask({ method: 'POST', url: outcomePath, body: question }),
  create_payment_link: ({ order: given, ...terms }, ask) => {
    const order = readOrder(given);
    if (!order) return Promise.resolve(noOrder);
    const { name, idempotencyKey } = order;
    return ask({ method: 'POST', url: linksPath, body: { ...terms, metadata: { order: name } }, idempotencyKey });
  },
  payment_link: ({ id }, ask) => ask({ method: 'GET', url: `${linksPath}/${encodeURIComponent(String(id))}` }),
  incoming: (filter, ask) => {
    const query = new URLSearchParams(
      Object.entries(filter).map(([name, value]): [string, string] => [name, String(value)]),
    );
    return ask({ method: 'GET', url: `${incomingPath}?${query}` });
  },
  inspect_transaction: async ({ transaction }) => inspect(String(transaction)),
  verify_transaction: ({ request, reply }) => verify(Object(request), reply),
};

const noOrder: ToolAnswer = {
  isError: true,
  value: {
    detail: 'order is missing: the text that names this payment, such as an invoice number, of 1 to 200 characters.',
  },
};

async function buildOrder({ order: given, ...batch }: Arguments, ask: AskRoute): Promise<ToolAnswer> {
  const order = readOrder(given);
  if (!order) return noOrder;
  const { name, idempotencyKey } = order;
  const request = { ...batch, metadata: { order: name } };
  const { isError, value } = await ask({ method: 'POST', url: paths.batch, body: request, idempotencyKey });
  return isError ? { isError, value } : { isError, value: { request, reply: value } };
}

function inspect(text: string): ToolAnswer {
  try {
    const bytes = readTransactionBytes(text.trim());
    if (bytes) return { isError: false, value: { lines: describeTransaction(summarizeTransaction(bytes)) } };
  } catch (error) {
    if (!(error instanceof TransactionDecodeError)) throw error;
  }
  return { isError: true, value: { detail: 'transaction is not a transaction in base64, base58 or hex.' } };
}

async function verify(request: object, reply: unknown): Promise<ToolAnswer> {
  try {
    const verified: Pick<VerifiedBatch | VerifiedTransfer, 'sentence'> =
      'transfers' in request
        ? await verifyBatch(request, reply)
        : await verifyTransfer(request, reply, { operation: paths.transfers });
    return { isError: false, value: { verified: true, sentence: verified.sentence } };
  } catch (error) {
    if (!(error instanceof VerificationError)) throw error;
    return { isError: true, value: { verified: false, code: error.code, detail: error.message } };
  }
}
