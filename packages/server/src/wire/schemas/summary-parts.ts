import { Type } from 'typebox';
import { warningMeanings } from '../words/warning-words.ts';
import { enumeration } from './enumeration.ts';

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
      'What the payer or the recipient should know although the transfer lands: the dearest first, notes last.',
  },
);
