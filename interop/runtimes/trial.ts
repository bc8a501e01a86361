import { type CallOptions, SplwrightClient, toBase64 } from '../../packages/client/src/index.ts';

interface World {
  api_key: string;
  rpc_url: string;
  wallets: [alice: { address: string; secret_key: string }, bob: { address: string }];
  mints: [{ address: string }];
}

type Sign = (message: Uint8Array, secretKey: string) => Promise<Uint8Array>;

/** Pays 1.5 USDC with nothing but the client and what every runtime has. Returns the outcome and the signature, as one text. */
export async function pay(
  service: string,
  memo: string,
  sign: Sign = signByWebCrypto,
  call: CallOptions = {},
): Promise<string> {
  const world: World = await (await fetch(`${service}/sandbox/world`)).json();
  const [alice, bob] = world.wallets;
  const client = new SplwrightClient({ url: service, apiKey: world.api_key });
  const transfer = {
    from_address: alice.address,
    to_address: bob.address,
    token_mint_address: world.mints[0].address,
    amount: 1_500_000n,
    memo,
  };
  const built = await client.buildTransfer(transfer, call);
  // One signature of 64 bytes comes after their count; the rest is the message.
  const signed = Uint8Array.from(built.transaction);
  signed.set(await sign(built.transaction.slice(65), alice.secret_key), 1);
  const config = { encoding: 'base64', preflightCommitment: 'confirmed' };
  const body = { jsonrpc: '2.0', id: 1, method: 'sendTransaction', params: [toBase64(signed), config] };
  const headers = { 'content-type': 'application/json' };
  await fetch(world.rpc_url, { method: 'POST', headers, body: JSON.stringify(body) });
  const { outcome, signature } = await client.waitForOutcome({ transaction: signed, ...built.lifetime });
  return `${outcome} ${signature}`;
}

async function signByWebCrypto(message: Uint8Array, secretKey: string): Promise<Uint8Array> {
  const pair = fromBase58(secretKey);
  const toText = (bytes: Uint8Array): string =>
    toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replace('=', '');
  const jwk = { kty: 'OKP', crv: 'Ed25519', d: toText(pair.slice(0, 32)), x: toText(pair.slice(32)) };
  const key = await crypto.subtle.importKey('jwk', jwk, 'Ed25519', false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign('Ed25519', key, Uint8Array.from(message)));
}

/** The 64 bytes of a secret key. */
function fromBase58(text: string): Uint8Array {
  const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
  let number = 0n;
  for (const character of text) number = number * 58n + BigInt(alphabet.indexOf(character));
  const bytes = new Uint8Array(64);
  for (let index = 63; index >= 0; index--, number >>= 8n) bytes[index] = Number(number & 255n);
  return bytes;
}
