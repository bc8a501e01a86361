import { type Static, Type } from 'typebox';

// One object, because generated clients have no use for alternatives: Kotlin's would demand the members of both.
/** What a transaction lives by. */
export const lifetimeSchema = Type.Object(
  {
    blockhash: Type.Optional(Type.String({ description: 'The blockhash in the transaction; absent with a nonce.' })),
    last_valid_block_height: Type.Optional(
      Type.String({
        description: 'The last block height at which the transaction can land; absent with a nonce.',
        pattern: '^[0-9]+$',
      }),
    ),
    nonce: Type.Optional(
      Type.String({ description: 'The nonce in the place of a blockhash; absent with a blockhash.' }),
    ),
    nonce_account: Type.Optional(
      Type.String({ description: 'The account that holds the nonce; absent with a blockhash.' }),
    ),
  },
  {
    $id: 'Lifetime',
    description:
      'What the transaction lives by: `blockhash` and `last_valid_block_height`, or `nonce` and `nonce_account`.',
    additionalProperties: false,
  },
);

/** The `lifetime` of a reply. */
export type LifetimeJson = Static<typeof lifetimeSchema>;
