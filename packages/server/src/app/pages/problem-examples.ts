import type { ProblemCode } from '../../problems.ts';

/** A request, and the refusal of it. */
interface ProblemExample {
  detail: string;
  /** Where in the body; without it the refusal lists no errors. */
  pointer?: string;
}

const alice = 'FeX3j8c1hrxQACQ97tbVaQWFbJ6Gz87wCoTXkp6jjvDn';
const bob = '7Py7JWKDDJfk9u78BBRYCdNXbdS5sMpZfp1GMveQriFu';
const carol = '2CPAqpbRiZqJYh4ZSviojsaYkD49aUktc8tk29QkybtC';
const usdc = 'Gr6zXNs3LaVMRGKwTUrWgFFQSggMvnPiWiQikW2a2tD1';
const tokenAccountOfCarol = 'ERBcegYj4XizLNiEichm26T8D8eogcGrDNNRmFZsEKNZ';

/** The refusals that new users meet first, as the sandbox words them. A test makes each of these requests. */
export const problemExamples: Readonly<Partial<Record<ProblemCode, ProblemExample>>> = {
  invalid_json: {
    detail: "The body is not valid JSON: Unexpected token '}'.",
  },
  missing_field: { pointer: '/to_address', detail: 'to_address is missing.' },
  unknown_field: {
    pointer: '/ammount',
    detail: '"ammount" is not a field of this operation. Did you mean amount?',
  },
  wrong_type: {
    pointer: '/amount',
    detail: 'amount is the number 1500000; send a string in base units, the smallest unit of the token: "1500000".',
  },
  invalid_address: {
    pointer: '/to_address',
    detail:
      'to_address is "bob.sol", a domain name: send the address that it resolves to. A Solana address is the base58 text of 32 bytes.',
  },
  invalid_amount: {
    pointer: '/amount',
    detail:
      'amount has a comma. It counts base units, the smallest unit of the token, in plain decimal digits from 1 to ' +
      '18446744073709551615: for a mint with 6 decimals "1500000" is 1.5 tokens.',
  },
  same_wallet: {
    pointer: '/to_address',
    detail: `from_address and to_address are both ${alice}. Send to another wallet.`,
  },
  api_key_missing: {
    detail: 'Send the header Authorization: Bearer <API key>; this request has none.',
  },
  api_key_invalid: {
    detail: 'The API key was mistyped or cut short: its checksum does not fit.',
  },
  unsupported_media_type: {
    detail: 'The body must be sent with Content-Type: application/json.',
  },
  route_not_found: {
    detail: 'There is nothing at /v1/transfer. Did you mean /v1/transfers?',
  },
  method_not_allowed: { detail: '/v1/transfers takes POST, not GET.' },
  not_a_mint: {
    pointer: '/token_mint_address',
    detail:
      `${bob} is an account of the program 11111111111111111111111111111111, not of SPL Token or Token-2022. ` +
      "Send the address of the token's mint.",
  },
  sender_token_account_not_found: {
    pointer: '/from_address',
    detail:
      `${carol} has no token account for the mint ${usdc}: there is none at ${tokenAccountOfCarol}. ` +
      'It must receive some of this token first.',
  },
  recipient_token_account_not_found: {
    pointer: '/to_address',
    detail:
      `${carol} has no token account for the mint ${usdc}: there is none at ${tokenAccountOfCarol}. ` +
      'POST the transfer to /v1/create-token-account-transfer, or to /v1/transfers with create_token_account "if_missing", which create it.',
  },
  insufficient_token_balance: {
    pointer: '/amount',
    detail:
      `The token account 8wPxMKaK8Vq4GCxYnkD44BcGSh2gxB3c9rj2WDEjpf6t of ${alice} has 1000000000000 base units ` +
      '(1000000 tokens); this transfer needs 9000000000000 base units (9000000 tokens), 8000000000000 more. Send less, or fund it first.',
  },
};
