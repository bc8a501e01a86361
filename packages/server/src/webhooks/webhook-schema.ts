import { type Static, type TSchema, Type } from 'typebox';
import { listQuery } from '../app/list-cursor.ts';
import { metadataQuery } from '../app/metadata.ts';
import { closed, enumeration, type SchemaNotes } from '../app/schema-parts.ts';
import type { WebhookEndpointRow } from '../store/schema/tables.ts';
import { readAttempts } from './delivery-records.ts';
import type { StoredEvent } from './event-records.ts';
import { eventTypeNames, testEventType } from './event-types.ts';
import { readTypes } from './record-event.ts';

const nullable = <Schema extends TSchema>(schema: Schema, description: string) =>
  Type.Union([schema, Type.Null()], { description });
const time = (description: string) => Type.String({ format: 'date-time', description });
const nullableTime = (description: string) => nullable(Type.String({ format: 'date-time' }), description);

// No user name, which looks like a host, and no fragment, which is not sent.
const urlPattern = "^https?://[A-Za-z0-9.:\\[\\]-]+([/?][A-Za-z0-9._~:/?@!$&'()*+,;=%\\[\\]-]*)?$";

const exampleUrl = 'https://shop.example/webhooks/splwright';

/** The body that makes an endpoint. */
export const endpointBody = Type.Object(
  {
    url: Type.String({
      description:
        'Where events are posted: an `https://` URL on the public internet. On the sandbox also an `http://` URL of this machine.',
      pattern: urlPattern,
      maxLength: 500,
      expected: 'an https:// URL without a user name and a fragment',
      examples: [exampleUrl],
    } satisfies SchemaNotes & Record<string, unknown>),
    events: Type.Optional(
      Type.Array(enumeration(eventTypeNames), {
        description: 'The types of events to send. Default: all, also those that later versions add.',
        minItems: 1,
        uniqueItems: true,
        examples: [['payment_link.paid']],
      }),
    ),
    description: Type.Optional(
      Type.String({
        description: 'What it is, for the people who read the list.',
        minLength: 1,
        maxLength: 200,
        pattern: '^[^\\u0000]*$',
        expected: 'a text without U+0000',
        examples: ['The shop'],
      } satisfies SchemaNotes & Record<string, unknown>),
    ),
  },
  { component: 'WebhookEndpointRequest', ...closed },
);

const endpointMembers = {
  id: Type.String({ description: 'Its id.' }),
  url: Type.String({ description: 'Where events are posted.' }),
  events: nullable(Type.Array(Type.String()), 'The types of events that it gets; null for all.'),
  description: nullable(Type.String(), 'What its owner wrote about it.'),
  created_at: time('When it was made.'),
  failing_since: nullableTime('Since when no attempt succeeds; null where the last one did.'),
  disabled_at: nullableTime('When it was disabled: nothing is sent since.'),
  disabled_reason: nullable(Type.String(), 'Why it was disabled.'),
};

/** An endpoint. */
export const endpointSchema = Type.Object(endpointMembers, { component: 'WebhookEndpoint', ...closed });

const secret = Type.String({
  description: 'The secret that signs the deliveries, as in Standard Webhooks. It is shown only once: save it.',
});

/** An endpoint, with its secret. */
export const endpointWithSecretSchema = Type.Object(
  { ...endpointMembers, secret },
  { component: 'WebhookEndpointWithSecret', ...closed },
);

const attemptSchema = Type.Object(
  {
    at: time('When it began.'),
    status: nullable(Type.Integer(), 'The HTTP status of the answer; null where there was none.'),
    error: nullable(Type.String(), 'Why there was no answer.'),
    milliseconds: Type.Integer({ description: 'How long it took.' }),
  },
  { component: 'WebhookAttempt', ...closed },
);

/** An event. */
export const eventSchema = Type.Object(
  {
    id: Type.String({ description: 'Its id: the `webhook-id` of each delivery.' }),
    type: Type.Unsafe<string>(enumeration([...eventTypeNames, testEventType], { description: 'What happened.' })),
    object_id: Type.String({ description: 'The id of what it happened to, such as that of a payment link.' }),
    created_at: time('When it was recorded.'),
    payload: Type.Object(
      {
        type: Type.String({ description: 'The type of the event.' }),
        timestamp: time('When it was recorded: `created_at`.'),
        sequence: Type.Integer({ description: 'Rises with each event of the same object.' }),
        data: Type.Unsafe<object>({
          type: 'object',
          description:
            'The object, as its own GET had it then. Of `transfer.*` the outcome, with `idempotency_key`, `path`, `transaction_index`, ' +
            '`message_hash`, and the `transfers` of a batch that the transaction makes.',
        }),
      },
      { description: 'The body of each delivery.', component: 'EventPayload', ...closed },
    ),
    deliveries: Type.Array(
      Type.Object(
        {
          endpoint_id: Type.String({ description: 'The endpoint.' }),
          state: enumeration(['waiting', 'delivered', 'failed'], {
            description: '`failed`: it was given up after three days.',
          }),
          next_attempt_at: nullableTime('When it is tried next.'),
          attempts: Type.Array(attemptSchema, { description: 'The last 20 attempts, the oldest first.' }),
        },
        { component: 'EventDelivery', ...closed },
      ),
      { description: 'Its deliveries, one for each endpoint.' },
    ),
  },
  { component: 'Event', ...closed },
);

type EndpointJson = Static<typeof endpointSchema>;
type EventJson = Static<typeof eventSchema>;

/** Returns an endpoint as JSON. */
export function endpointJson(row: WebhookEndpointRow): EndpointJson {
  const { id, url, types, description, created_at, failing_since, disabled_at, disabled_reason } = row;
  return {
    id,
    url,
    events: readTypes(types),
    description,
    created_at: isoOf(created_at),
    failing_since: isoOrNull(failing_since),
    disabled_at: isoOrNull(disabled_at),
    disabled_reason,
  };
}

/** Returns an event as JSON. */
export function eventJson({ id, type, object_id, created_at, body, deliveries }: StoredEvent): EventJson {
  return {
    id,
    type,
    object_id,
    created_at: isoOf(created_at),
    payload: JSON.parse(body),
    deliveries: deliveries.map((delivery) => ({
      endpoint_id: delivery.endpoint_id,
      state: delivery.state,
      next_attempt_at: isoOrNull(delivery.due_at),
      attempts: readAttempts(delivery).map((attempt) => ({ ...attempt, at: isoOf(attempt.at) })),
    })),
  };
}

function isoOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

function isoOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : isoOf(milliseconds);
}

/** The query of a page of events. */
export const eventQuerySchema = Type.Object(
  {
    type: Type.Optional(
      enumeration([...eventTypeNames, testEventType], {
        description: 'Only events of this type.',
        examples: ['payment_link.paid'],
      }),
    ),
    object: Type.Optional(
      Type.String({
        description: 'Only events of the object with this id.',
        pattern: '^[!-~]{1,100}$',
        examples: ['8sXq2LtYvWm4DbRk'],
      }),
    ),
    metadata: metadataQuery,
    ...listQuery,
  },
  closed,
);

/** An endpoint of a shop. */
export const exampleEndpoint: EndpointJson = {
  id: 'we_4a7f0c8e2b915d364a7f0c8e',
  url: exampleUrl,
  events: ['payment_link.paid'],
  description: 'The shop',
  created_at: '2026-11-27T12:00:00.000Z',
  failing_since: null,
  disabled_at: null,
  disabled_reason: null,
};

/** The same, with its secret. */
export const exampleWithSecret = { ...exampleEndpoint, secret: 'whsec_8vYz2nTqS0u1mWb4rJk7pXc5dEg9hLo3aQfNi6tVwBM=' };

const exampleAttempt = { at: '2026-11-27T12:00:01.200Z', status: 200, error: null, milliseconds: 84 };

/** A test event that was delivered. */
export const exampleEvent: EventJson = {
  id: 'evt_9b1d36c04a7f0c8e2b915d36',
  type: testEventType,
  object_id: exampleEndpoint.id,
  created_at: '2026-11-27T12:00:01.000Z',
  payload: {
    type: testEventType,
    timestamp: '2026-11-27T12:00:01.000Z',
    sequence: 1_795_780_801_000,
    data: { endpoint_id: exampleEndpoint.id },
  },
  deliveries: [
    { endpoint_id: exampleEndpoint.id, state: 'delivered', next_attempt_at: null, attempts: [exampleAttempt] },
  ],
};
