import { type Static, type TUnsafe, Type } from 'typebox';
import { warningMeanings } from '../../transfers/words/warning-words.ts';

/**
 * Returns the schema of a value that is one of these, as `enum`: client generators do not read `anyOf` of constants.
 *
 * It has a `type` when all values are texts.
 */
export function enumeration<const Value extends string | number>(
  values: readonly Value[],
  options: Readonly<Record<string, unknown>> = {},
): TUnsafe<Value> {
  const isText = values.every((value) => typeof value === 'string');
  return Type.Unsafe<Value>({ ...options, ...(isText && { type: 'string' }), enum: [...values] });
}

/** An address in a summary. */
export const address = Type.String({ description: 'Base58 of 32 bytes.' });

/** Makes the schema of lamports; `description` says of what. */
export const lamports = (description: string) =>
  Type.String({ description: `${description}, in lamports.`, pattern: '^[0-9]+$' });

/** An amount of the mint. */
export const tokenAmount = Type.Object(
  {
    base_units: Type.String({ pattern: '^[0-9]+$' }),
    decimal: Type.String(),
    ui_amount: Type.Optional(
      Type.String({
        description:
          'What wallets show for it now, of a mint that multiplies amounts or adds interest; absent where they show `decimal`. For display only.',
      }),
    ),
  },
  {
    $id: 'TokenAmount',
    additionalProperties: false,
    description: 'The exact base units, and the same amount in tokens as a decimal number.',
  },
);

const warningCode = enumeration<string>(Object.keys(warningMeanings), {
  $id: 'WarningCode',
  description: 'The stable code of a warning, to switch on; more may be added.',
});

/** The warnings of a summary. */
export const warnings = Type.Array(
  Type.Object(
    {
      code: warningCode,
      level: enumeration(['warning', 'note'], {
        description:
          '`note` for what is so with many tokens, such as an issuer that can freeze accounts. Show it apart.',
      }),
      detail: Type.String(),
    },
    { $id: 'Warning', additionalProperties: false },
  ),
  {
    description:
      'What the payer or the recipient should know although the transfer lands: the most costly first, notes last.',
  },
);

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
