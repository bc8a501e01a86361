import type { FastifyInstance } from 'fastify';
import { type Static, type TSchema, Type } from 'typebox';
import { keyedHeaders, refusalsOf, replyOf } from '../app/route-schema.ts';
import { address, closed, enumeration } from '../app/schema-parts.ts';
import type { Sponsor } from './sponsor.ts';
import type { SponsorBalance } from './sponsor-balance.ts';
import { isFree } from './sponsor-rules.ts';

export interface SponsorRouteOptions {
  /** Absent where the service has no sponsor. */
  sponsoring?: { sponsor: Sponsor; balance: SponsorBalance } | undefined;
  requestDeadlineMs: number;
}

const nullable = <T extends TSchema>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description });

const sponsorSchema = Type.Object(
  {
    address: Type.String({
      ...address,
      description: 'The wallet that signs next and pays the network fee. A pool may answer with another later.',
    }),
    payment_address: Type.String({ ...address, description: 'The wallet that fees are paid to.' }),
    balance: Type.String({ description: 'The lamports that it has.', pattern: '^[0-9]+$' }),
    is_free: Type.Boolean({ description: 'Whether it takes no fee. Otherwise send `max_sponsor_fee`.' }),
    fee_token_mint_addresses: nullable(Type.Array(address), 'The tokens that fees can be paid in; null for any.'),
    allowed_programs: nullable(Type.Array(address), 'The programs that a transaction may call; null for all.'),
    creates_token_accounts: Type.Boolean({
      description: 'Whether it pays the rent of token accounts that do not exist yet.',
    }),
    max_lamports: Type.String({ description: 'The most lamports of rent in one transaction.', pattern: '^[0-9]+$' }),
    takes_nonces: Type.Boolean({ description: 'Whether it signs transactions that live by a durable nonce.' }),
  },
  { component: 'Sponsor', ...closed },
);

const statusText = 'sponsor found successfully';

const replySchema = Type.Object(
  { data: nullable(sponsorSchema, 'null where the service has no sponsor.'), status: enumeration([statusText]) },
  { component: 'SponsorReply', ...closed },
);

const example: Static<typeof sponsorSchema> = {
  address: '7Py7JWKDDJfk9u78BBRYCdNXbdS5sMpZfp1GMveQriFu',
  payment_address: '7Py7JWKDDJfk9u78BBRYCdNXbdS5sMpZfp1GMveQriFu',
  balance: '9750000000',
  is_free: true,
  fee_token_mint_addresses: [],
  allowed_programs: null,
  creates_token_accounts: true,
  max_lamports: '2000000',
  takes_nonces: false,
};

const route = {
  config: { usage: 'answered' as const },
  schema: {
    operationId: 'readSponsor',
    summary: 'Read the sponsor',
    description: 'Who pays for `fee_payer` "sponsor", what it has, what it takes, and what it signs.',
    tags: ['Service'],
    response: {
      200: replyOf('The sponsor.', replySchema, {
        headers: keyedHeaders,
        examples: { free: { value: { data: example, status: statusText } } },
      }),
      ...refusalsOf(
        ['keyed'],
        [
          ...(['upstream_error', 'upstream_unavailable', 'upstream_timeout'] as const),
          ...(['sponsor_refused', 'sponsor_error', 'sponsor_unavailable', 'sponsor_timeout'] as const),
        ],
      ),
    },
  },
};

/** Registers the path that says who the sponsor is, and what it signs. */
export function registerSponsorRoute(
  app: FastifyInstance,
  { sponsoring, requestDeadlineMs }: SponsorRouteOptions,
): void {
  app.get('/v1/sponsor', route, async () => {
    if (!sponsoring) return { data: null, status: statusText };
    const { address: signer, paymentAddress, rules } = await sponsoring.sponsor.readTerms();
    const { allowed_programs: programs, allowed_spl_paid_tokens: tokens } = rules;
    const data: Static<typeof sponsorSchema> = {
      address: signer,
      payment_address: paymentAddress,
      balance: `${await sponsoring.balance.read(performance.now() + requestDeadlineMs)}`,
      is_free: isFree(rules),
      fee_token_mint_addresses: tokens === 'All' ? null : tokens,
      allowed_programs: programs === 'All' ? null : programs,
      creates_token_accounts: rules.fee_payer_policy?.system?.allow_create_account ?? false,
      max_lamports: `${BigInt(Math.floor(rules.max_allowed_lamports))}`,
      takes_nonces: rules.allow_durable_transactions ?? false,
    };
    return { data, status: statusText };
  });
}
