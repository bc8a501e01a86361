import { type TUnsafe, Type } from 'typebox';
import type { TransferOperation } from '../operation.ts';

/**
 * The keywords of this service's schemas beside those of JSON Schema. The OpenAPI document leaves them out, and writes `default`
 * into the description: some generators turn an option with a `default` into a required field.
 */
export interface SchemaNotes {
  /** The name of the component in the OpenAPI document, and of the type in generated clients. */
  component?: string;
  /** The end of "must be …", where the JSON type says too little. */
  expected?: string;
  /** Other names of the field, in lower-case letters alone: what callers of other APIs try first. */
  synonyms?: readonly string[];
  /** Of an object in a long list: whether all its unknown fields are one fault, of the object. */
  reportsUnknownFieldsOnce?: true;
}

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

/** Returns the description of a code, with the meaning of each one as a Markdown list. */
export function describeCodes(description: string, meanings: Readonly<Record<string, string>>): string {
  const items = Object.entries(meanings).map(([code, meaning]) => `- \`${code}\`: ${meaning}`);
  return `${description}\n\n${items.join('\n')}`;
}

/** The base58 text of an address; that it decodes to 32 bytes is the core's to say. */
export const addressPattern = '^[1-9A-HJ-NP-Za-km-z]{32,44}$';

// From 1 to 18446744073709551615, one alternative for each digit at which a number is lower.
const u64Digits =
  '[1-9][0-9]{0,18}|1[0-7][0-9]{18}|18[0-3][0-9]{17}|184[0-3][0-9]{16}|1844[0-5][0-9]{15}|18446[0-6][0-9]{14}|' +
  '184467[0-3][0-9]{13}|1844674[0-3][0-9]{12}|184467440[0-6][0-9]{10}|1844674407[0-2][0-9]{9}|18446744073[0-6][0-9]{8}|' +
  '1844674407370[0-8][0-9]{6}|18446744073709[0-4][0-9]{5}|184467440737095[0-4][0-9]{4}|18446744073709550[0-9]{3}|' +
  '18446744073709551[0-5][0-9]{2}|1844674407370955160[0-9]|1844674407370955161[0-4]|18446744073709551615';

/** A number from 1 to 18446744073709551615 in decimal digits. */
export const amountPattern = `^(${u64Digits})$`;
/** The same, or zero. */
export const u64Pattern = `^(0|${u64Digits})$`;
/** A price of priority: a level, or micro-lamports. */
export const priorityFeePattern = `^(none|low|medium|high|0|${u64Digits})$`;

/** An address in a reply. */
export const address = Type.String({ description: 'Base58 of 32 bytes.' });

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
    component: 'TokenAmount',
    additionalProperties: false,
    description: 'The exact base units, and the same amount in tokens as a decimal number.',
  },
);

/** The fee of a sponsor, in a reply. */
export const sponsorFeeSchema = Type.Object(
  { token_mint_address: address, recipient: address, recipient_token_account: address, amount: tokenAmount },
  {
    component: 'SponsorFee',
    description: 'What the sender pays the sponsor, before all other payments; absent where it takes nothing.',
    additionalProperties: false,
  },
);

/** Decimal digits. */
export const digits = { pattern: '^[0-9]+$' };

/** No other members. */
export const closed = { additionalProperties: false } as const;

const transactionBytes = Type.Array(Type.Integer({ minimum: 0, maximum: 255 }), {
  description:
    'The serialized transaction, with 64 zero bytes for each missing signature: at most 1,232 bytes, or 4,096 in version 1.',
  maxItems: 4096,
});

/** A transaction in any encoding. */
export const transactionSchema = Type.Union(
  [transactionBytes, Type.String({ description: 'The same bytes in base64 or base58.' })],
  {
    component: 'Transaction',
    description: 'A transaction: an array of bytes, or one text in base64 or base58.',
    expected: 'an array of bytes, or a text in base64 or base58',
    synonyms: ['tx', 'txn'],
  } satisfies SchemaNotes & { description: string },
);

/** Where a service on a sandbox of its own shows the wallets and mints of it. */
export const sandboxWorldPath = '/sandbox/world';

/** The blockhash in the transactions below. */
export const exampleBlockhash = '4TF3UwZFddjQhcDCbPfe2J8HhUxLunQt2ENgJ7Y2rAzn';

/** The last block height at which they could land. */
export const exampleLastValidBlockHeight = '419208222';

/** Built by the sandbox for the example of each operation, in base64. A test builds them again. */
export const exampleTransactions = {
  memo_transfer:
    'AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABAAMG2aAUxySsoJ/znTN556fNJqB0CRvZi8C1CgxYnpB5sel18SBvl9XTITHSD0y0nsIE4Er9qgSHOfzv87jXN1rURa3qJIRudhAWm3dKa2GvI1T8uuSX+XS3O/Els3JQAatU63OJ2aBR8PAZXgxdwMifsLKja0ovyuR5CBg5IXfys3wFSlNamSkhBk0k6HFg2jh8fDW13bySu4HkH6hAQQVEjQbd9uHXZaGT2cvhRs7reawctIXtX1s3kTqM9YV+/wCpM0wKQH7UELc1Rr5c6yz/+AMs7VWSJv4FPmo39pMnnXMCBAEADGludm9pY2UgMTAwMQUEAQMCAAoMYOMWAAAAAAAG',
  yid_transfer:
    'AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABAAMG2aAUxySsoJ/znTN556fNJqB0CRvZi8C1CgxYnpB5sel18SBvl9XTITHSD0y0nsIE4Er9qgSHOfzv87jXN1rURa3qJIRudhAWm3dKa2GvI1T8uuSX+XS3O/Els3JQAatU63OJ2aBR8PAZXgxdwMifsLKja0ovyuR5CBg5IXfys3wFSlNamSkhBk0k6HFg2jh8fDW13bySu4HkH6hAQQVEjQbd9uHXZaGT2cvhRs7reawctIXtX1s3kTqM9YV+/wCpM0wKQH7UELc1Rr5c6yz/+AMs7VWSJv4FPmo39pMnnXMCBAEACHlpZC0xMDAxBQQBAwIACgxg4xYAAAAAAAY=',
  create_transfer:
    'AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABAAUI2aAUxySsoJ/znTN556fNJqB0CRvZi8C1CgxYnpB5semt6iSEbnYQFpt3SmthryNU/Lrkl/l0tzvxJbNyUAGrVHXxIG+X1dMhMdIPTLSewgTgSv2qBIc5/O/zuNc3WtRFXwhXc/Ddq0kLt2IfAgYX90TRo/zMS1jr2f687kd+ZJzrc4nZoFHw8BleDF3AyJ+wsqNrSi/K5HkIGDkhd/KzfAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABt324ddloZPZy+FGzut5rBy0he1fWzeROoz1hX7/AKmMlyWPTiSJ8bs9ECkUjg2DC1oTmdr/EIQEjnvY2+n4WTNMCkB+1BC3NUa+XOss//gDLO1Vkib+BT5qN/aTJ51zAgcGAAEDBAUGAQEGBAIEAQAKDGDjFgAAAAAABg==',
  transfer:
    'AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABAAIF2aAUxySsoJ/znTN556fNJqB0CRvZi8C1CgxYnpB5sel18SBvl9XTITHSD0y0nsIE4Er9qgSHOfzv87jXN1rURa3qJIRudhAWm3dKa2GvI1T8uuSX+XS3O/Els3JQAatU63OJ2aBR8PAZXgxdwMifsLKja0ovyuR5CBg5IXfys3wG3fbh12Whk9nL4UbO63msHLSF7V9bN5E6jPWFfv8AqTNMCkB+1BC3NUa+XOss//gDLO1Vkib+BT5qN/aTJ51zAQQEAQMCAAoMYOMWAAAAAAAG',
  batch:
    'AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABAAYK2aAUxySsoJ/znTN556fNJqB0CRvZi8C1CgxYnpB5sel18SBvl9XTITHSD0y0nsIE4Er9qgSHOfzv87jXN1rURa3qJIRudhAWm3dKa2GvI1T8uuSX+XS3O/Els3JQAatUx1nfGYT7Posre9071VWw/mZ/nMAcfO49edNwD3U5qhLrc4nZoFHw8BleDF3AyJ+wsqNrSi/K5HkIGDkhd/KzfBHGJKa5S8/JtMWfj/qajiS8iTqKbmXeLHFuYzreAd+xAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAG3fbh12Whk9nL4UbO63msHLSF7V9bN5E6jPWFfv8AqQVKU1qZKSEGTSTocWDaOHx8NbXdvJK7geQfqEBBBUSNjJclj04kifG7PRApFI4NgwtaE5na/xCEBI572Nvp+FkzTApAftQQtzVGvlzrLP/4AyztVZIm/gU+ajf2kyedcwQIAQAOc2FsYXJ5IDExLzIwMjYHBAEEAgAKDGDjFgAAAAAABgkGAAMFBAYHAQEHBAEEAwAKDKAlJgAAAAAABg==',
} as const satisfies Readonly<Record<TransferOperation, string>>;
