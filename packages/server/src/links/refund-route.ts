import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { bodyOf, requireDeclaredJson } from '../app/json-body.ts';
import type { RequestsInFlight } from '../app/overload.ts';
import type { Shape } from '../app/read-shape.ts';
import { idempotencyHeaders, keyedHeaders, refusalsOf, replayedHeader, replyOf } from '../app/route-schema.ts';
import { amountPattern, closed } from '../app/schema-parts.ts';
import { allFaults, invalidRequest, shapeOf } from '../app/validate.ts';
import { startWork } from '../app/work-of.ts';
import { hashBody, readIdempotencyKey } from '../idempotency/idempotency-key.ts';
import type { KeyedRequests } from '../idempotency/keyed-requests.ts';
import { apiKeyOf } from '../keys/require-api-key.ts';
import { AppError } from '../problems.ts';
import { replyExample } from '../transfers/reply-examples.ts';
import { replySchemas } from '../transfers/reply-schema.ts';
import { lifetimeHeaderSchemas, sendKeyed } from '../transfers/transaction-replies.ts';
import { type AskedRefund, assertKeyAllowsRefunds, type LinkRefunds } from './link-refunds.ts';
import { linkIdOf, linkNotFound } from './link-requests.ts';
import { linkId, linkPath, linksPath, unavailable } from './link-route-schemas.ts';
import type { PaymentLinks } from './payment-links.ts';

export interface RefundRouteOptions {
  links: PaymentLinks;
  refunds: LinkRefunds;
  keyedRequests: KeyedRequests;
  inFlight: RequestsInFlight;
  requestDeadlineMs: number;
}

const refundBody = Type.Object(
  {
    amount: Type.Optional(
      Type.String({
        description:
          'How much to give back, in base units of the token that was paid. Default: all that is left of the payment.',
        pattern: amountPattern,
        examples: ['500000'],
      }),
    ),
    signature: Type.Optional(
      Type.String({
        description: 'The signature of the payment, where the link has received several.',
        pattern: '^[1-9A-HJ-NP-Za-km-z]{64,88}$',
        examples: ['3NNCeG6MSBLYFfbqMKZWBPX9DRHQmYFHWM9TEYVZyKRaFNZPmUdT5ZaQ5mzD7L6JQ9UkmVSJvBX9Q8aVuXbC8WzH'],
      }),
    ),
  },
  {
    component: 'RefundRequest',
    ...closed,
    'x-examples': { part: { value: { amount: '500000' } } },
  },
);

const refundRoute = {
  attachValidation: true,
  config: { usage: 'answered' as const, place: 'writing' as const },
  schema: {
    operationId: 'refundPaymentLink',
    summary: 'Build a refund',
    description:
      'Builds a transfer from the recipient of the link back to the owner of the tokens that paid it, in the same token: of at most what ' +
      'was received, less what was refunded and what other refunds may still refund. It is signed and submitted like every transfer. ' +
      'Needs an `Idempotency-Key` of its own for each refund, and an API key that may build this transfer.',
    tags: ['Payment links'],
    params: linkId,
    headers: idempotencyHeaders,
    body: refundBody,
    response: {
      200: replyOf('The unsigned transaction.', replySchemas.transfer, {
        headers: { ...lifetimeHeaderSchemas, ...replayedHeader, ...keyedHeaders },
        examples: { refund: { value: replyExample('transfer') } },
      }),
      ...refusalsOf(
        ['keyed', 'transfer'],
        [
          'idempotency_key_required',
          'payment_link_not_found',
          'refund_not_possible',
          'refund_too_large',
          ...unavailable,
        ],
      ),
    },
  },
};

/** Registers the path that builds refunds of a payment link. */
export function registerRefundRoute(app: FastifyInstance, options: RefundRouteOptions): void {
  const { links, refunds, keyedRequests, inFlight, requestDeadlineMs } = options;
  app.register(async (scope) => {
    requireDeclaredJson(scope);
    scope.withTypeProvider<TypeBoxTypeProvider>().post(`${linkPath}/refund`, refundRoute, async (request, reply) => {
      const key = readIdempotencyKey(request.headers['idempotency-key']);
      if (key === undefined) {
        throw new AppError(
          'idempotency_key_required',
          'There is no Idempotency-Key, without which a retry could refund twice.',
        );
      }
      const body = bodyOf(request);
      const asked = readRefund(shapeOf(request), body);
      const apiKey = apiKeyOf(request);
      const id = linkIdOf(request);
      const work = startWork(request, requestDeadlineMs);
      const view = await links.read(id, work.deadline, apiKey.rootId);
      if (!view) throw linkNotFound();
      const keyed = {
        id: { scope: apiKey.rootId, path: `${linksPath}/${id}/refund`, key },
        ...hashBody(body),
        work,
        build: async () => refunds.build(await refunds.refresh(view, work), asked, { key, apiKey, work }),
        assertAllowed: () => assertKeyAllowsRefunds(apiKey, view, key),
      };
      return sendKeyed(request, reply, await inFlight.countBuild(() => keyedRequests.answer(keyed, work.deadline)));
    });
  });
}

function readRefund(shape: Shape<Static<typeof refundBody>>, body: unknown): AskedRefund {
  const faults = allFaults(shape);
  if (faults.length > 0) throw invalidRequest(faults, body);
  const { amount, signature } = shape.values;
  return { amount: amount === undefined ? undefined : BigInt(amount), signature };
}
