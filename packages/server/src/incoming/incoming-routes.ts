import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { requireDeclaredJson } from '../app/json-body.ts';
import { invalidRequest } from '../app/validate.ts';
import { keyedHeaders, refusalsOf, replyOf } from '../app/route-schema.ts';
import type { ChainHistory } from '../chain/chain-history.ts';
import type { ChainReader } from '../chain/chain-reader.ts';
import { assertKeyAllowsWebhooks } from '../keys/key-permission.ts';
import { apiKeyOf } from '../keys/require-api-key.ts';
import { AppError } from '../problems.ts';
import { storeFaultOf, storeRetrySeconds } from '../store/store-faults.ts';
import { type CreditOfRecipient, creditJson } from './credit-json.ts';
import {
  creditListSchema,
  exampleCredit,
  exampleRecipient,
  incomingQuerySchema,
  incomingStatusTexts,
  type RecipientJson,
  recipientBody,
  recipientListSchema,
} from './incoming-schema.ts';
import { maxRecipients, type Recipient, type RecipientRecords } from './recipient-records.ts';
import type { CreditQuery } from './scan-records.ts';
import { findTokenAccounts, readRecipient } from './watch-recipient.ts';

/** What the routes of incoming payments use. */
export interface IncomingRouteOptions {
  incoming: {
    recipients: RecipientRecords;
    listCredits: (ownerId: string, query: CreditQuery) => Promise<readonly CreditOfRecipient[]>;
    reader: Pick<ChainReader, 'readAccounts'>;
    history: ChainHistory;
  };
  requestDeadlineMs: number;
}

/** The path of what is watched. */
export const recipientsPath = '/v1/recipients';
/** The path of what arrived. */
export const incomingPath = '/v1/incoming';

const defaultLimit = 20;
const tags = ['Webhooks'];
// Nothing is built.
const config = { usage: 'answered' as const };

/** Registers the paths of incoming payments, which need an API key. */
export function registerIncomingRoutes(app: FastifyInstance, { incoming, requestDeadlineMs }: IncomingRouteOptions): void {
  const { recipients, listCredits } = incoming;
  const ownerOf = (request: FastifyRequest): string => {
    const { restrictions, rootId } = apiKeyOf(request);
    assertKeyAllowsWebhooks(restrictions);
    return rootId;
  };

  app.register(async (scope) => {
    requireDeclaredJson(scope);
    scope.withTypeProvider<TypeBoxTypeProvider>().put(`${recipientsPath}/:wallet`, putRecipientRoute, async (request) => {
      const ownerId = ownerOf(request);
      const asked = readRecipient(String(Object(request.params).wallet), request.body.token_mint_addresses, request.body);
      const { tokens, slot } = await findTokenAccounts(asked, incoming, performance.now() + requestDeadlineMs);
      const isWatched = await reached(recipients.put(ownerId, asked.wallet, tokens, { slot, now: new Date() }));
      if (!isWatched) throw tooManyRecipients();
      const watched = await reached(recipients.list(ownerId, asked.wallet));
      return { data: watched.map(recipientJson), status: incomingStatusTexts.watched };
    });
  });
  app.get(recipientsPath, listRecipientsRoute, async (request) => {
    const watched = await reached(recipients.list(ownerOf(request)));
    return { data: watched.map(recipientJson), status: incomingStatusTexts.recipients };
  });
  app.withTypeProvider<TypeBoxTypeProvider>().get(incomingPath, listIncomingRoute, async (request) => {
    const ownerId = ownerOf(request);
    const { limit = defaultLimit, cursor, ...filters } = request.query;
    const before = cursor === undefined ? undefined : readCursor(cursor, request.query);
    const found = await reached(listCredits(ownerId, { ...filters, ...(before && { before }), limit: limit + 1 }));
    const shown = found.slice(0, limit);
    const last = found.length > limit ? shown.at(-1) : undefined;
    const next = last && { next_cursor: Buffer.from(`${last.seen_at}.${last.signature}`).toString('base64url') };
    return { data: shown.map(creditJson), ...next, status: incomingStatusTexts.listed };
  });
}

const refusals = refusalsOf(['keyed'], ['key_not_allowed', 'webhooks_unavailable', 'invalid_request', 'invalid_value', 'unknown_field']);

const putRecipientRoute = {
  config,
  schema: {
    operationId: 'watchRecipient',
    summary: 'Watch a wallet',
    description:
      "From now on each payment to the wallet's associated token accounts of these mints is listed, whoever made it and in whatever " +
      'form: a withdrawal from an exchange, too. Replaces what was watched of the wallet; an empty list ends it.',
    tags,
    body: recipientBody,
    response: {
      200: replyOf('What is watched of the wallet.', recipientListSchema('watched'), {
        headers: keyedHeaders,
        examples: { watched: { value: { data: [exampleRecipient], status: incomingStatusTexts.watched } } },
      }),
      ...refusalsOf(['keyed'], ['key_not_allowed', 'webhooks_unavailable', 'invalid_request', 'invalid_value', 'unknown_field', 'invalid_json', 'missing_field', 'wrong_type', 'invalid_address', 'body_too_large', 'unsupported_media_type', 'mint_not_found', 'not_a_mint', 'too_many_recipients', 'upstream_error', 'upstream_unavailable', 'upstream_timeout']),
    },
  },
};

const listRecipientsRoute = {
  config,
  schema: {
    operationId: 'listRecipients',
    summary: 'List the watched wallets',
    description: 'Everything that is watched for this API key and those it replaced.',
    tags,
    response: {
      200: replyOf('What is watched.', recipientListSchema('recipients'), {
        headers: keyedHeaders,
        examples: { recipients: { value: { data: [exampleRecipient], status: incomingStatusTexts.recipients } } },
      }),
      ...refusalsOf(['keyed'], ['key_not_allowed', 'webhooks_unavailable']),
    },
  },
};

const listIncomingRoute = {
  config,
  schema: {
    operationId: 'listIncoming',
    summary: 'List incoming payments',
    description: 'What arrived at the watched wallets since they are watched, what was seen last first.',
    tags,
    querystring: incomingQuerySchema,
    response: {
      200: replyOf('The payments.', creditListSchema, {
        headers: keyedHeaders,
        examples: { page: { value: { data: [exampleCredit], status: incomingStatusTexts.listed } } },
      }),
      ...refusals,
    },
  },
};

function recipientJson({ wallet, mint, tokenAccount, createdAt, scannedAt, fault }: Recipient): RecipientJson {
  return {
    recipient: wallet,
    token_mint_address: mint,
    token_account: tokenAccount,
    created_at: createdAt.toISOString(),
    read_at: scannedAt?.toISOString() ?? null,
    problem: fault,
  };
}

function tooManyRecipients(): AppError {
  return new AppError(
    'too_many_recipients',
    `This API key, with those that it replaced, watches ${maxRecipients} wallets, and may watch no more. Stop watching one first.`,
  );
}

async function reached<Answer>(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    throw new AppError('webhooks_unavailable', 'The database of incoming payments does not answer now. Try again soon.', {
      retryAfterSeconds: storeRetrySeconds,
      cause: storeFaultOf(error),
    });
  }
}

function readCursor(text: string, query: unknown): { seenAt: number; signature: string } {
  const decoded = text.length <= 200 ? Buffer.from(text, 'base64url').toString('latin1') : '';
  const [, seenAt = '', signature = ''] = /^([0-9]{1,15})\.([1-9A-HJ-NP-Za-km-z]{1,90})$/.exec(decoded) ?? [];
  if (signature !== '') return { seenAt: Number(seenAt), signature };
  const detail = 'cursor is not one that this list gave. Send next_cursor as it is, or leave it out.';
  throw invalidRequest([{ code: 'invalid_value', pointer: '/cursor', detail }], query);
}
