import { type Static, type TSchema, Type } from 'typebox';
import { closed, enumeration } from '../app/schema-parts.ts';
import { operations } from '../operation.ts';

const nullable = <T extends TSchema>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description });
const baseUnits = Type.String({ pattern: '^[0-9]+$' });

const amountLimit = Type.Object(
  {
    token_mint_address: Type.String({ description: 'The mint.' }),
    per_transfer: nullable(baseUnits, 'The most base units of one transfer; null for any number.'),
    per_day: nullable(baseUnits, 'The most base units of all transfers built in a UTC day; null for any number.'),
    built_today: nullable(baseUnits, 'The base units built today; null without a limit of a day.'),
    left_today: nullable(baseUnits, 'The base units left today; null without a limit of a day.'),
  },
  { component: 'KeyAmountLimit', ...closed },
);

const usage = Type.Object(
  {
    requests: Type.Integer({ description: 'All requests with this key.' }),
    built: Type.Integer({ description: 'Those that built something.' }),
    replayed: Type.Integer({ description: 'Retries that got the reply to an earlier request.' }),
    answered: Type.Integer({ description: 'Those that asked or changed something and built nothing.' }),
    refused: Type.Integer({ description: 'Those that were refused.' }),
    refusals: Type.Record(Type.String(), Type.Integer(), { description: 'The refused ones by their code.' }),
  },
  { component: 'KeyUsage', ...closed },
);

/** An API key with its limits, and with its use of today. */
const keySchema = Type.Object(
  {
    id: Type.String({ description: 'Its id, by which its operator finds it. Not a secret.' }),
    name: Type.String({ description: 'The name that its operator gave it.' }),
    rate_limit_per_minute: nullable(
      Type.Integer(),
      'The most requests per minute; null for any number. The header `RateLimit` has those that are left.',
    ),
    allowed_operations: nullable(
      Type.Array(Type.String({ enum: [...operations] })),
      'The operations that it may use; null for all.',
    ),
    allowed_mints: nullable(
      Type.Array(Type.String()),
      'The mints that it may move; null for all. With `amount_limits` only mints that have one.',
    ),
    allowed_sender_count: nullable(
      Type.Integer(),
      'How many wallets may send and pay fees; null for any wallet. They are not named, so that a stolen key does not reveal them.',
    ),
    allowed_recipient_count: nullable(
      Type.Integer(),
      'How many wallets it may pay; null for any wallet. They are not named, so that a stolen key does not reveal them.',
    ),
    amount_limits: nullable(Type.Array(amountLimit), 'The limits of amounts, by mint; null without any.'),
    sponsored_lamports_per_day: nullable(
      baseUnits,
      'The most lamports, rent included, that a sponsor pays for it in a UTC day, payers of its payment links included; null for any number.',
    ),
    sponsored_lamports_today: nullable(baseUnits, 'How many of them are used today; null without the limit.'),
    sponsors_rent: Type.Boolean({ description: 'Whether a sponsor may pay the rent of token accounts for it.' }),
    day: Type.String({ description: 'The current day in UTC. What is counted for today starts again at 00:00 UTC.' }),
    usage_today: nullable(usage, 'The requests of today, up to 3 seconds late; null for the sandbox key.'),
  },
  { component: 'ApiKey', ...closed },
);

/** An API key as JSON. */
export type KeyJson = Static<typeof keySchema>;

/** The status text of the reply about an API key. */
export const keyStatusText = 'api key found successfully';

/** The reply about an API key. */
export const keyReplySchema = Type.Object(
  { data: keySchema, status: enumeration([keyStatusText]) },
  { component: 'ApiKeyReply', ...closed },
);

/** A key of an app, limited to payments in one token. */
export const exampleKey: KeyJson = {
  id: 'key_4a7f0c8e2b915d36',
  name: 'app',
  rate_limit_per_minute: 60,
  allowed_operations: ['transfer', 'payment_link'],
  allowed_mints: null,
  allowed_sender_count: null,
  allowed_recipient_count: 2,
  amount_limits: [
    {
      token_mint_address: 'Gr6zXNs3LaVMRGKwTUrWgFFQSggMvnPiWiQikW2a2tD1',
      per_transfer: '5000000',
      per_day: '50000000',
      built_today: '4500000',
      left_today: '45500000',
    },
  ],
  sponsored_lamports_per_day: '5000000',
  sponsored_lamports_today: '20000',
  sponsors_rent: false,
  day: '2026-11-22',
  usage_today: {
    requests: 12,
    built: 3,
    replayed: 1,
    answered: 6,
    refused: 2,
    refusals: { insufficient_token_balance: 2 },
  },
};
