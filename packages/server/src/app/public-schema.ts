import { type Static, Type } from 'typebox';
import { enumeration } from './schema-parts.ts';

const outcome = enumeration(['ok', 'failed'], { component: 'CheckOutcome' });

/** The body of `/readyz`, whether the service is ready or not. */
export const readinessSchema = Type.Object(
  {
    status: enumeration(['ready', 'not_ready', 'stopping'], {
      description: '`stopping` from the signal to stop on: nothing is checked, and no new connection should be made.',
    }),
    checks: Type.Record(Type.String(), outcome, {
      description: 'What must work: `upstream`, which is ok while one upstream is, and `keys`.',
    }),
    upstreams: Type.Record(
      Type.String(),
      Type.Object(
        {
          status: outcome,
          reason: Type.Optional(Type.String({ description: 'Why it is not used.' })),
          slot_lag: Type.Optional(
            Type.Integer({
              description: 'How many slots its last answer was behind the newest slot seen on any upstream.',
            }),
          ),
        },
        { component: 'UpstreamReadiness', additionalProperties: false },
      ),
      { description: 'The upstreams by number, the preferred one first; never by URL.' },
    ),
    consensus: Type.Optional(
      enumeration(['tower_bft', 'alpenglow'], {
        description:
          'How the cluster agrees on blocks. With `alpenglow` what is confirmed is final. Absent while no node has told it.',
      }),
    ),
  },
  { component: 'Readiness', additionalProperties: false },
);

/** The body of `/livez`. */
export const livenessSchema = Type.Object(
  { status: enumeration(['alive']) },
  { component: 'Liveness', additionalProperties: false },
);

/** How ready the service is. */
export type Readiness = Static<typeof readinessSchema>;

const closed = { additionalProperties: false } as const;
const address = Type.String({ description: 'Base58 of 32 bytes.' });

/** The body of `/sandbox/world`. */
export const sandboxWorldSchema = Type.Object(
  {
    api_key: Type.String({ description: 'A key that works on this sandbox alone.' }),
    rpc_url: Type.String({ description: "The sandbox's JSON-RPC." }),
    websocket_url: Type.String({ description: "The sandbox's WebSocket, on the port after that of the JSON-RPC." }),
    wallets: Type.Array(
      Type.Object(
        { name: Type.String(), address, secret_key: Type.String({ description: 'Base58 of 64 bytes; public.' }) },
        { component: 'SandboxWallet', ...closed },
      ),
    ),
    nonce_accounts: Type.Array(
      Type.Object(
        { address, authority: Type.String({ description: 'The wallet that may advance the nonce.' }) },
        { component: 'SandboxNonceAccount', ...closed },
      ),
    ),
    mints: Type.Array(
      Type.Object(
        { name: Type.String(), address, decimals: Type.Integer(), token_program: Type.String() },
        { component: 'SandboxMint', ...closed },
      ),
    ),
  },
  { component: 'SandboxWorld', ...closed },
);

/** The reply of `/sandbox/world`. */
export type SandboxWorldJson = Static<typeof sandboxWorldSchema>;
