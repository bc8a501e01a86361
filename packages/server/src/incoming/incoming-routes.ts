import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { requireDeclaredJson } from '../app/json-body.ts';
import { nextCursor, pageIn, shownOf } from '../app/list-cursor.ts';
import type { ChainHistory } from '../chain/chain-history.ts';
import type { ChainReader } from '../chain/chain-reader.ts';
import { AppError } from '../problems.ts';
import { reached, routeOf, webhookOwnerOf } from '../webhooks/route-of.ts';
import type { CreditRecords } from './credit-records.ts';
import {
  creditSchema,
  exampleCredit,
  exampleRecipient,
  incomingQuery,
  recipientBody,
  recipientPath,
  recipientSchema,
} from './incoming-schema.ts';
import { maxRecipients, type RecipientRecords } from './recipient-records.ts';
import { findTokenAccounts, readRecipient } from './watch-recipient.ts';

export interface IncomingRouteOptions {
  incoming: {
    recipients: RecipientRecords;
    credits: CreditRecords;
    reader: Pick<ChainReader, 'readAccounts'>;
    history: ChainHistory;
  };
  requestDeadlineMs: number;
}

const recipientsPath = '/v1/recipients';

/** The path that lists incoming payments. */
export const incomingPath = '/v1/incoming';

/** Registers the paths of incoming payments, which need an API key. */
export function registerIncomingRoutes(
  app: FastifyInstance,
  { incoming, requestDeadlineMs }: IncomingRouteOptions,
): void {
  const { recipients, credits } = incoming;
  app.register(async (scope) => {
    requireDeclaredJson(scope);
    scope.withTypeProvider<TypeBoxTypeProvider>().put(`${recipientsPath}/:wallet`, watchRoute, async (request) => {
      const ownerId = webhookOwnerOf(request);
      const asked = readRecipient(request.params.wallet, request.body);
      const found = await findTokenAccounts(asked, incoming, performance.now() + requestDeadlineMs);
      const isWatched = await reached(recipients.put(ownerId, { ...asked, ...found }, new Date()));
      if (!isWatched) throw tooManyRecipients();
      return { data: await reached(recipients.list(ownerId, asked.wallet)), status: statusTexts.watched };
    });
  });
  app.get(recipientsPath, listRecipientsRoute, async (request) => {
    return { data: await reached(recipients.list(webhookOwnerOf(request))), status: statusTexts.recipients };
  });
  app.withTypeProvider<TypeBoxTypeProvider>().get(incomingPath, listIncomingRoute, async (request) => {
    const ownerId = webhookOwnerOf(request);
    const page = pageIn(request.query, creditIdPattern);
    const found = await reached(credits.list(ownerId, { ...request.query, ...page }));
    const { shown, ...next } = shownOf(found, page, ({ seen_at, id }) => ({ createdAt: new Date(seen_at), id }));
    return { data: shown, ...next, status: statusTexts.listed };
  });
}

const creditIdPattern = /^[1-9A-HJ-NP-Za-km-z]{64,88}\.[1-9A-HJ-NP-Za-km-z]{32,44}$/;

function tooManyRecipients(): AppError {
  return new AppError(
    'too_many_recipients',
    `This API key, with those that it replaced, watches ${maxRecipients} wallets, and may watch no more. Stop watching one first.`,
  );
}

const statusTexts = {
  watched: 'recipient watched successfully',
  recipients: 'recipients listed successfully',
  listed: 'incoming payments listed successfully',
} as const;

const ofQuery = ['invalid_request', 'invalid_value', 'unknown_field'] as const;
const recipientList = { data: Type.Array(recipientSchema), example: [exampleRecipient] };

const watchRoute = routeOf(
  {
    operationId: 'watchRecipient',
    summary: 'Watch a wallet',
    description:
      "From now on each payment to the wallet's associated token accounts of these mints is listed, whoever made it and in whatever " +
      'form: a withdrawal from an exchange, too. Replaces what was watched of the wallet; an empty list ends it.',
    place: 'writing',
    params: recipientPath,
    body: recipientBody,
  },
  { status: statusTexts.watched, ...recipientList },
  [
    ...([...ofQuery, 'invalid_json', 'missing_field', 'wrong_type', 'invalid_address', 'body_too_large'] as const),
    ...(['unsupported_media_type', 'mint_not_found', 'not_a_mint', 'too_many_recipients'] as const),
    ...(['upstream_error', 'upstream_unavailable', 'upstream_timeout'] as const),
  ],
);
const listRecipientsRoute = routeOf(
  {
    operationId: 'listRecipients',
    summary: 'List watched wallets',
    description: 'Everything that is watched for this API key and those it replaced.',
    place: 'large',
  },
  { status: statusTexts.recipients, ...recipientList },
  [],
);
const listIncomingRoute = routeOf(
  {
    operationId: 'listIncoming',
    summary: 'List incoming payments',
    description: 'What arrived at the watched wallets since they are watched, what was seen last first.',
    place: 'large',
    querystring: incomingQuery,
  },
  {
    status: statusTexts.listed,
    data: Type.Array(creditSchema),
    example: [exampleCredit],
    members: { next_cursor: nextCursor },
  },
  ofQuery,
);
