import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { getBase58Encoder } from '@solana/kit';
import { type App, type MobileWallet, payInSession } from '../../examples/mobile-wallet-adapter.ts';
import { SplwrightClient } from '../../packages/client/src/index.ts';
import { signWith } from '../../test/setup/wallets.ts';
import { callRpc, type Service, startService } from '../setup/service.ts';
import { trials } from '../setup/trials.ts';
import { answerSession, type Handle } from './wallet.ts';

type Transact = <Result>(
  callback: (wallet: MobileWallet) => Promise<Result>,
  config: { baseUri: string },
) => Promise<Result>;

// Its types are not where TypeScript looks for them.
const packageName: string = '@solana-mobile/mobile-wallet-adapter-protocol';
const { transact }: { transact: Transact } = await import(packageName);

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service.stop());

/** A phone: what the app opens is answered by a wallet that handles requests so. Returns what the session returned. */
async function inSession<Result>(handle: Handle, use: (wallet: MobileWallet) => Promise<Result>): Promise<Result> {
  let session = Promise.resolve();
  const assign = (url: URL): void => {
    session = answerSession(url, handle);
  };
  Object.assign(globalThis, { window: { isSecureContext: true, location: { assign }, setTimeout, clearTimeout } });
  return transact(use, { baseUri: 'https://wallet.example' }).finally(() => session);
}

function walletOf(name: string): { handle: Handle; asked: string[] } {
  const secretKey = service.secretKeyOf(name);
  const asked: string[] = [];
  const handle: Handle = async (method, parameters) => {
    asked.push(method);
    if (method === 'authorize') {
      const address = Buffer.from(getBase58Encoder().encode(secretKey).slice(32)).toString('base64');
      return { accounts: [{ address }], auth_token: 'token', wallet_uri_base: 'https://wallet.example' };
    }
    if (method !== 'sign_and_send_transactions') throw new Error(method);
    const { payloads, options } = Object(parameters);
    assert.deepEqual(options, { commitment: 'confirmed' });
    const signed = Buffer.from(await signWith(Buffer.from(payloads[0], 'base64'), [secretKey]));
    const config = { encoding: 'base64', preflightCommitment: options.commitment };
    const signature = await callRpc<string>(service, 'sendTransaction', [signed.toString('base64'), config]);
    return { signatures: [Buffer.from(getBase58Encoder().encode(signature)).toString('base64')] };
  };
  return { handle, asked };
}

describe('the Mobile Wallet Adapter', () => {
  const [trial] = trials;
  assert.ok(trial);

  /** The app of a shop, and the outcome of what its backend built. */
  function startApp(memo: string) {
    const client = new SplwrightClient({ url: service.url, apiKey: service.apiKey });
    const built: { transaction: Uint8Array; last_valid_block_height: string | undefined }[] = [];
    const app: App = {
      chain: 'solana:localnet',
      identity: { name: 'Tea house Lotus', uri: 'https://teahouse.example' },
      build: async (address) => {
        const { to_address, token_mint_address } = trial?.body ?? { to_address: '', token_mint_address: '' };
        const transfer = {
          from_address: address,
          to_address,
          token_mint_address,
          amount_decimal: '4.5',
          memo,
        };
        const { transaction, lifetime } = await client.buildTransfer(transfer);
        built.push({ transaction, last_valid_block_height: lifetime.last_valid_block_height });
        return transaction;
      },
    };
    return { app, outcomes: () => Promise.all(built.map((question) => client.waitForOutcome(question))) };
  }

  test('pays in one session, and the backend sees what became of what it built', async () => {
    const { handle, asked } = walletOf('alice');
    const { app, outcomes } = startApp('in the app');
    const { signature, authToken } = await inSession(handle, (wallet) => payInSession(wallet, app));
    assert.deepEqual(asked, ['authorize', 'sign_and_send_transactions']);
    assert.equal(authToken, 'token');
    const [outcome] = await outcomes();
    assert.deepEqual([outcome?.outcome, outcome?.signature], ['landed', signature]);
  });

  test('ends with what the wallet says when the customer refuses', async () => {
    const { handle } = walletOf('alice');
    const refusing: Handle = async (method, parameters) => {
      if (method === 'authorize') return handle(method, parameters);
      throw new Error('the customer refused');
    };
    const paying = inSession(refusing, (wallet) => payInSession(wallet, startApp('refused in the app').app));
    await assert.rejects(paying, /the customer refused/);
  });
});
