import assert from 'node:assert/strict';
import type { Static } from 'typebox';
import { Check } from 'typebox/schema';
import { decodeBase58 } from '../../../packages/core/src/addresses/base58.ts';
import type { Environment } from '../../../packages/server/src/config/variables.ts';
import { sandboxApiKey } from '../../../packages/server/src/keys/authenticated-key.ts';
import { type LinkJson, linkListSchema, linkReplySchema } from '../../../packages/server/src/links/link-schema.ts';
import { payReplySchema } from '../../../packages/server/src/links/pay-schema.ts';
import { linksPath } from '../../../packages/server/test/app/sample-bodies.ts';
import { type Cleanup, startTestService } from '../../setup/service.ts';
import { readUntil } from '../../setup/wait-until.ts';
import { named, signWith } from '../../setup/wallets.ts';

/** What a wallet got. */
export interface PayReply {
  transaction: string;
  message: string;
  headers: Headers;
}

/** A caller of one service with one API key. */
export class LinkClient {
  readonly url: string;
  readonly #headers: Record<string, string>;

  constructor(url: string, apiKey: string = sandboxApiKey) {
    this.url = url;
    this.#headers = { authorization: `Bearer ${apiKey}` };
  }

  /** Sends a request with the key, and JSON where there is a body. */
  send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> {
    const json = body === undefined ? {} : { 'content-type': 'application/json' };
    const init = { method, headers: { ...this.#headers, ...json, ...headers } };
    return fetch(this.url + path, body === undefined ? init : { ...init, body: JSON.stringify(body) });
  }

  /** Makes a link. */
  async create(body: object, headers: Record<string, string> = {}): Promise<LinkJson> {
    const response = await this.send('POST', linksPath, body, headers);
    const link = await readLink(response, 201, 'created');
    assert.equal(response.headers.get('location'), `${linksPath}/${link.id}`);
    return link;
  }

  /** Reads a link. */
  async read(id: string): Promise<LinkJson> {
    return readLink(await this.send('GET', `${linksPath}/${id}`), 200, 'found');
  }

  /** Reads a page of the links of the key. */
  async list(query: Record<string, string> = {}): Promise<Static<typeof linkListSchema>> {
    const response = await this.send('GET', `${linksPath}?${new URLSearchParams(query)}`);
    const reply: unknown = await response.json();
    assert.equal(response.status, 200, JSON.stringify(reply));
    if (!Check(linkListSchema, reply)) assert.fail(JSON.stringify(reply));
    return reply;
  }

  /** Reads a link until it is as expected. */
  readUntil(id: string, isIt: (link: LinkJson) => boolean): Promise<LinkJson> {
    return readUntil(() => this.read(id), isIt);
  }

  /** Cancels a link. */
  async cancel(id: string): Promise<LinkJson> {
    return readLink(await this.send('POST', `${linksPath}/${id}/cancel`), 200, 'cancelled');
  }

  /** Asks for a payment as a wallet does, without a key. */
  askToPay(id: string, account: unknown, query = ''): Promise<Response> {
    return fetch(`${this.url}/pay/${id}${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ account, type: 'transaction' }),
    });
  }

  /** Gets the transaction that pays a link. */
  async pay(id: string, account: string, query = ''): Promise<PayReply> {
    const response = await this.askToPay(id, account, query);
    const reply: unknown = await response.json();
    assert.equal(response.status, 200, JSON.stringify(reply));
    if (!Check(payReplySchema, reply)) assert.fail(JSON.stringify(reply));
    return { transaction: reply.transaction, message: reply.message, headers: response.headers };
  }
}

/** Reads a link out of a reply of this status. */
export async function readLink(
  response: Response,
  status: number,
  name: 'created' | 'found' | 'cancelled',
): Promise<LinkJson> {
  const reply: unknown = await response.json();
  assert.equal(response.status, status, JSON.stringify(reply));
  if (!Check(linkReplySchema(name), reply)) assert.fail(JSON.stringify(reply));
  return reply.data;
}

/** A service that waits for its node as long as a machine may take that is busy with browsers. */
export const unhurried = { REQUEST_DEADLINE_MS: '60000' };

/** Starts a service on a sandbox of its own, with what a test needs to make links and to pay them. */
export async function startLinkService(cleanup: Cleanup, environment: Environment = {}) {
  const service = await startTestService(cleanup, {
    PAY_RATE_LIMIT_PER_MINUTE: '0',
    ...environment,
  });
  const { world, ledger } = service.sandbox;
  const [alice, bob, carol, dave] = ['alice', 'bob', 'carol', 'dave'].map((name) => named(world.wallets, name));
  assert.ok(alice && bob && carol && dave);
  const mintOf = (name: string): string => named(world.mints, name).address;
  const usdc = mintOf('USDC');
  const body = { to_address: bob.address, token_mint_address: usdc, amount: '1500000', label: 'Tea house' };

  /** Signs a transaction in base64 as a wallet does, and lets it land; its signature. */
  const land = async (transaction: string, wallet: { secret_key: string }): Promise<string> => {
    const outcome = ledger.sendTransaction(await signWith(Buffer.from(transaction, 'base64'), [wallet.secret_key]));
    assert.deepEqual([outcome.landed, outcome.error], [true, null], JSON.stringify(outcome.logs));
    return String(outcome.signature);
  };
  /** A wallet of the browser that signs with a key of the sandbox, and sends to its ledger. */
  const walletOf = (wallet: { address: string; secret_key: string }) => ({
    name: 'Test Wallet',
    accounts: [wallet.address],
    send: async ({ transaction }: { transaction: Uint8Array }) => {
      const signature = await land(Buffer.from(transaction).toString('base64'), wallet);
      const decoded = decodeBase58(signature);
      if (!('bytes' in decoded)) throw new Error(signature);
      return decoded.bytes;
    },
  });
  const client = new LinkClient(service.url);
  return { walletOf, service, ledger, world, alice, bob, carol, dave, mintOf, usdc, body, land, client };
}
