import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { getCompiledTransactionMessageDecoder, getTransactionDecoder } from '@solana/kit';
import type { Cleanup } from '../../../../test/setup/service.ts';
import { findAssociatedTokenAddress, toAddress, tokenPrograms } from '../../../core/src/index.ts';
import { type Keypair, keypairFromName } from '../../../sandbox/src/ledger/keypair.ts';
import { bob } from '../app/sample-bodies.ts';

const associatedTokenProgram = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';
const systemProgram = '11111111111111111111111111111111';
const tokenAccountRent = (165 + 128) * 5_080;

/** The stock programs, and those that our transfers need. */
const allowedPrograms: readonly string[] = [
  ...['ComputeBudget111111111111111111111111111111', 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'],
  ...[...tokenPrograms, associatedTokenProgram, systemProgram],
];

/** What a transaction is to the double. */
interface Read {
  bytes: Uint8Array;
  programs: readonly string[];
  accounts: readonly string[];
  signatureCount: number;
  /** Base units that it pays to the token account of the payment address, by mint. */
  paid: (mint: string) => number;
  creations: number;
  advancesNonce: boolean;
}

/** What the double answers with: all may be changed while it runs. */
export interface KoraDouble {
  url: string;
  /** The first of its wallets. */
  address: string;
  /** Its wallets: each signs and pays in turn, where none is named. */
  pool: Keypair[];
  /** `validation_config` of `getConfig`. */
  rules: Record<string, unknown>;
  /** Base units of any token per lamport. */
  rate: number;
  /** Changes what is asked for in `signTransaction`, against what was estimated. */
  surcharge: number;
  /** Changes an answer, to lie. */
  answer: (method: string, result: Record<string, unknown>) => unknown;
  /** Before each answer. */
  wait: () => Promise<void>;
  credentials: { apiKey?: string; hmacSecret?: string };
  /** Whether it counts what each user costs, who must then be named. */
  countsUsers: boolean;
  /** The status of each answer. */
  status: number;
  /** Answers a call. Throws a `KoraError`. */
  call: (method: string, params: Record<string, unknown>) => unknown;
  /** The methods that were called, and the `signer_key` of each. */
  calls: { method: string; signerKey: unknown }[];
}

/**
 * A Kora server by `facts/kora.md`: real signatures, the rules of its configuration, and its prices.
 *
 * It simulates nothing, and knows no oracle: a token costs `rate` base units a lamport.
 */
export function createKoraDouble(wallet: Keypair, paymentAddress: string): KoraDouble {
  const double: KoraDouble = {
    url: '',
    address: wallet.address,
    pool: [wallet],
    rules: {
      max_allowed_lamports: 2_000_000,
      max_signatures: 2,
      allowed_programs: allowedPrograms,
      allowed_tokens: [],
      allowed_spl_paid_tokens: 'All',
      disallowed_accounts: [],
      allow_durable_transactions: false,
      fee_payer_policy: { system: { allow_create_account: true } },
      price: { type: 'free' },
    },
    rate: 2,
    surcharge: 0,
    answer: (_, result) => result,
    wait: async () => undefined,
    call: (method, params) => double.answer(method, methods[method]?.(params) ?? {}),
    credentials: {},
    countsUsers: false,
    status: 200,
    calls: [],
  };
  let turns = 0;
  const signerOf = ({ signer_key: key }: Record<string, unknown>): Keypair => {
    const { pool } = double;
    const signer = key === undefined ? pool[turns++ % pool.length] : pool.find(({ address }) => address === key);
    if (!signer) throw new KoraError(-32_004, `Invalid request: Signer with pubkey ${key} not found`);
    return signer;
  };

  const fee = ({ signatureCount, creations }: Read): number => {
    const { type, margin = 0, amount = 0 } = Object(double.rules.price);
    if (type === 'free') return 0;
    if (type === 'fixed') return Number(amount);
    return Math.ceil((signatureCount * 5_000 + creations * tokenAccountRent + 50) * (1 + margin) * double.rate);
  };
  const check = (read: Read, address: string): void => {
    const rules = Object(double.rules);
    const refuse = (message: string): never => {
      throw new KoraError(-32_000, `Invalid transaction: ${message}`);
    };
    if (read.accounts[0] !== address) refuse('the fee payer is another wallet');
    if (read.signatureCount > rules.max_signatures) refuse('Too many signatures');
    const foreign = read.programs.find(
      (program) => rules.allowed_programs !== 'All' && !rules.allowed_programs.includes(program),
    );
    if (foreign !== undefined) refuse(`Program ${foreign} is not in the allowed list`);
    const banned = read.accounts.find((account) => rules.disallowed_accounts.includes(account));
    if (banned !== undefined) refuse(`Account ${banned} is disallowed`);
    if (read.advancesNonce && !rules.allow_durable_transactions) refuse('Durable transactions are not allowed');
    if (read.creations > 0 && !rules.fee_payer_policy.system.allow_create_account) {
      refuse('Fee payer cannot fund ATA creation (Create or CreateIdempotent)');
    }
    if (read.creations * tokenAccountRent > rules.max_allowed_lamports) refuse('exceeds maximum allowed');
  };
  const methods: Record<string, (params: Record<string, unknown>) => Record<string, unknown>> = {
    getConfig: () => {
      const addresses = double.pool.map(({ address }) => address);
      return { fee_payers: addresses, validation_config: double.rules, enabled_methods: {} };
    },
    getPayerSigner: () => ({ signer_address: signerOf({}).address, payment_address: paymentAddress }),
    estimateTransactionFee: ({ transaction, fee_token: token, ...named }) => {
      const read = readTransaction(String(transaction), paymentAddress);
      const { address } = signerOf(named);
      check(read, address);
      const taken = Object(double.rules).allowed_spl_paid_tokens;
      if (token !== undefined && taken !== 'All' && !taken.includes(token)) {
        throw new KoraError(-32_002, `Unsupported fee token: ${token}`);
      }
      const inToken = token === undefined ? null : fee(read);
      return { fee_in_lamports: 0, fee_in_token: inToken, signer_pubkey: address, payment_address: paymentAddress };
    },
    signTransaction: ({ transaction, user_id: user, ...named }) => {
      const read = readTransaction(String(transaction), paymentAddress);
      const { address, sign } = signerOf(named);
      check(read, address);
      if (double.countsUsers && fee(read) === 0 && user === undefined) {
        throw new KoraError(-32_001, 'Validation error: user_id is required when usage limiting is enabled');
      }
      const wanted = fee(read) === 0 ? 0 : fee(read) + double.surcharge;
      const token = Object(double.rules).allowed_spl_paid_tokens;
      const paid = wanted === 0 ? 0 : Math.max(...(Array.isArray(token) ? token : read.accounts).map(read.paid));
      if (paid < wanted) throw new KoraError(-32_000, `Insufficient token payment. Required ${wanted} lamports`);
      const signed = read.bytes.slice();
      signed.set(sign(messageOf(signed)), 1);
      return { signed_transaction: Buffer.from(signed).toString('base64'), signer_pubkey: address };
    },
  };
  return double;
}

/** Starts a double over HTTP. */
export async function startKoraDouble(t: Cleanup, paymentAddress = bob): Promise<KoraDouble> {
  const double = createKoraDouble(keypairFromName(`kora ${randomUUID()}`), paymentAddress);
  const server = createServer(async (request, response) => {
    const body = await text(request);
    await double.wait();
    const isKnown = accepts(double.credentials, request.headers, body);
    response.writeHead(isKnown ? double.status : 401, { 'content-type': 'application/json' });
    if (!isKnown) return void response.end();
    const { method, params = {} } = JSON.parse(body);
    double.calls.push({ method, signerKey: params.signer_key });
    try {
      const result = double.call(method, params);
      response.end(typeof result === 'string' ? result : JSON.stringify({ jsonrpc: '2.0', id: 1, result }));
    } catch (error) {
      if (!(error instanceof KoraError)) throw error;
      const { code, message } = error;
      response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code, message, data: {} } }));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(async () => {
    server.closeAllConnections();
    server.close();
  });
  double.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return double;
}

/** A refusal, as `error` of JSON-RPC. */
export class KoraError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** What its signers sign, of a transaction that is legacy or of version 0. */
export function messageOf(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(1 + 64 * (bytes[0] ?? 0));
}

function readTransaction(base64: string, paymentAddress: string): Read {
  const bytes = new Uint8Array(Buffer.from(base64, 'base64'));
  const message = getCompiledTransactionMessageDecoder().decode(getTransactionDecoder().decode(bytes).messageBytes);
  if (!('instructions' in message)) throw new KoraError(-32_000, 'a version that is not read');
  const { staticAccounts, instructions, header } = message;
  const accounts = staticAccounts.map(String);
  const programOf = ({ programAddressIndex: index }: { programAddressIndex: number }) => accounts[index] ?? '';
  const owned = (mint: string): readonly string[] =>
    tokenPrograms.map(
      (tokenProgram) =>
        findAssociatedTokenAddress({ owner: toAddress(paymentAddress), tokenProgram, mint: toAddress(mint) }).address,
    );
  return {
    bytes,
    accounts,
    signatureCount: header.numSignerAccounts,
    programs: instructions.map(programOf),
    creations: instructions.filter((each) => programOf(each) === associatedTokenProgram).length,
    advancesNonce: instructions.some((each) => programOf(each) === systemProgram && each.data?.[0] === 4),
    paid: (mint) => {
      const transfers = instructions.filter(
        ({ accountIndices = [], data }) =>
          data?.[0] === 12 && owned(mint).includes(accounts[accountIndices[2] ?? 0] ?? ''),
      );
      return transfers.reduce((sum, { data }) => sum + Number(Buffer.from(data ?? []).readBigUInt64LE(1)), 0);
    },
  };
}

function accepts(
  { apiKey, hmacSecret }: KoraDouble['credentials'],
  headers: IncomingHttpHeaders,
  body: string,
): boolean {
  if (apiKey !== undefined) return headers['x-api-key'] === apiKey;
  if (hmacSecret === undefined) return true;
  const timestamp = String(headers['x-timestamp']);
  const expected = createHmac('sha256', hmacSecret)
    .update(timestamp + body)
    .digest('hex');
  return headers['x-hmac-signature'] === expected && Math.abs(Number(timestamp) - Date.now() / 1_000) < 300;
}
