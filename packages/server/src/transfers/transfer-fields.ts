import { Type } from 'typebox';
import {
  addressPattern,
  amountPattern,
  enumeration,
  priorityFeePattern,
  type SchemaNotes,
} from '../app/schema-parts.ts';

/** The notes of every field: its meaning, and a value from the sandbox's world. */
interface FieldNotes extends SchemaNotes {
  description: string;
  examples: readonly [unknown];
}

/** Makes the schema of an address. */
export const addressField = (notes: FieldNotes) => Type.String({ pattern: addressPattern, ...notes });
/** Makes the schema of a text. */
export const text = (
  notes: FieldNotes & { pattern?: string; minLength?: number; maxLength?: number; default?: string },
) => Type.String({ ...notes });
/** Makes the schema of true or false. */
export const flag = (notes: FieldNotes & { default: boolean }) => Type.Boolean({ ...notes });
/** Makes the schema of one of some values. */
export const choice = <const Value extends string | number>(
  values: readonly Value[],
  notes: FieldNotes & { default: NoInfer<Value> },
) => enumeration(values, { ...notes });

/** The wallet `alice` of the sandbox. */
export const exampleSender = 'FeX3j8c1hrxQACQ97tbVaQWFbJ6Gz87wCoTXkp6jjvDn';
/** The wallet `bob` of the sandbox. */
export const exampleRecipient = '7Py7JWKDDJfk9u78BBRYCdNXbdS5sMpZfp1GMveQriFu';
/** The mint `USDC` of the sandbox. */
export const exampleMint = 'Gr6zXNs3LaVMRGKwTUrWgFFQSggMvnPiWiQikW2a2tD1';
/** A wallet of the sandbox without token accounts. */
export const otherWallet = '2CPAqpbRiZqJYh4ZSviojsaYkD49aUktc8tk29QkybtC';

const baseUnits = 'a string in base units, the smallest unit of the token';

/** The wallet that pays. */
export const fromAddress = addressField({
  description:
    "The sender's wallet, base58 of 32 bytes, on the Ed25519 curve. It sends the tokens and signs. Without `fee_payer` it " +
    'also pays the network fee, and the rent of a created token account.',
  examples: [exampleSender],
  synonyms: ['from', 'sender', 'source', 'fromwallet', 'senderaddress', 'sourceaddress', 'payeraddress'],
});

/** The wallet that is paid. */
export const toAddress = addressField({
  description: "The recipient's wallet, base58 of 32 bytes. The service derives the token accounts itself.",
  examples: [exampleRecipient],
  synonyms: [
    ...['to', 'recipient', 'receiver', 'destination', 'dest', 'payee', 'towallet'],
    ...['recipientaddress', 'destinationaddress'],
  ],
});

const synonymsOfMint = ['mint', 'token', 'currency', 'asset', 'spltoken', 'tokenmint', 'tokenaddress', 'mintaddress'];

/** The token that is sent. */
export const tokenMintAddress = addressField({
  description: 'The mint of the token, base58 of 32 bytes: a mint of SPL Token or Token-2022.',
  examples: [exampleMint],
  synonyms: synonymsOfMint,
});

/** The token that is sent, or SOL. */
export const tokenMintAddressOrSol = text({
  description:
    'The mint of the token, base58 of 32 bytes: a mint of SPL Token or Token-2022. Or "SOL": then amounts are in lamports, and ' +
    '`amount_decimal` in SOL.',
  pattern: `${addressPattern}|^SOL$`,
  expected: 'an address or "SOL", as a JSON string',
  examples: [exampleMint],
  synonyms: synonymsOfMint,
});

const synonymsOfAmount = ['value', 'quantity', 'baseunits', 'amountbaseunits', 'rawamount'];

/** How much, in base units. */
export const amount = text({
  description:
    'How much to send, in base units (the smallest unit of the token: with 6 decimals "1500000" is 1.5 tokens), as ' +
    'a string of decimal digits from 1 to 18446744073709551615.',
  pattern: amountPattern,
  expected: baseUnits,
  examples: ['1500000'],
  synonyms: synonymsOfAmount,
});

/** How much, in base units, or all there is. */
export const amountOrMax = text({
  description:
    'How much to send, in base units (the smallest unit of the token: with 6 decimals "1500000" is 1.5 tokens), as a string of decimal ' +
    'digits from 1 to 18446744073709551615. Or "max": all that the sender has in its token account, or all its SOL, less what the ' +
    'transaction costs and pays to others. Under an `Idempotency-Key` it stays what it was first.',
  pattern: `${amountPattern}|^max$`,
  expected: baseUnits,
  examples: ['1500000'],
  synonyms: synonymsOfAmount,
});

const decimalPattern = '^([1-9][0-9]*(\\.[0-9]+)?|0\\.[0-9]*[1-9][0-9]*)$';

/** How much, in whole tokens. */
export const amountDecimal = text({
  description:
    'How much to send, in whole tokens as exact decimal text ("1.5"), instead of `amount`. More digits after the point ' +
    'than the mint has decimals are refused.',
  pattern: decimalPattern,
  maxLength: 276,
  examples: ['1.5'],
  synonyms: ['decimalamount', 'uiamount', 'tokenamount', 'tokens'],
});

/** How much must arrive, in base units. */
export const amountReceived = text({
  description:
    'How much must arrive, in base units, instead of `amount`: of a mint with a transfer fee as much more is sent as it withholds now.',
  pattern: amountPattern,
  expected: baseUnits,
  examples: ['1500000'],
});

/** How much must arrive, in whole tokens. */
export const amountReceivedDecimal = text({
  description: 'The same in whole tokens, as exact decimal text ("1.5").',
  pattern: decimalPattern,
  maxLength: 276,
  examples: ['1.5'],
});

/** The text on chain. */
export const memo = text({
  description:
    'Text to write on chain directly before the transfer, signed by the sender: valid Unicode that fits the transaction ' +
    '(916 bytes of UTF-8; 3,767 in version 1).',
  minLength: 1,
  examples: ['invoice 1001'],
  synonyms: ['note', 'comment', 'description'],
});

/** The identifier on chain. */
export const yid = text({
  description:
    'An identifier, written on chain as the memo. On `/v1/token-transfer-memo-hash` it selects the reply with the ' +
    'transaction alone.',
  minLength: 1,
  examples: ['yid-1001'],
});

/** Whether an address without a key may be paid. */
export const allowOffCurveRecipient = flag({
  description: 'Pay an address that no key can sign for, such as a vault, even if it has no token account yet.',
  default: false,
  examples: [true],
});

/** The addresses by which the payment can be found. */
export const references = Type.Optional(
  Type.Array(Type.String({ pattern: addressPattern }), {
    description:
      'Addresses added to the transfer as read-only accounts, by which the payment can be found, as in Solana Pay.',
    maxItems: 10,
    uniqueItems: true,
    expected: 'an array of addresses',
    examples: [[otherWallet]],
    synonyms: ['referencekeys'],
  } satisfies SchemaNotes & Record<string, unknown>),
);

export const priorityFee = Type.Optional(
  text({
    description:
      'The price of priority: "none"; "low", "medium" or "high", the 25th, 50th or 90th percentile of recent ' +
      'prices for the same accounts, at most 1,000,000 lamports a transaction; or micro-lamports per compute unit in decimal digits. It ' +
      'also sets a compute limit, with room for the guard instructions that wallets insert.',
    pattern: priorityFeePattern,
    default: 'none',
    examples: ['medium'],
    synonyms: ['priority', 'computeunitprice', 'microlamports'],
  }),
);

/** Whether the transaction is tried first. */
export const simulate = Type.Optional(
  flag({
    description:
      'Simulate the transaction on the Solana node first. If that fails, the refusal `simulation_failed` has the instruction, ' +
      'the reason and the `logs`.',
    default: false,
    examples: [true],
  }),
);
