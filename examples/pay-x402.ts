import * as kit from '@solana/kit';
import { SplwrightClient, SplwrightError, toBase64 } from 'splwright-client';
import { readWorld, service } from './sandbox.ts';

/** A way to pay, of the 402 answer. */
interface Offer {
  scheme: string;
  network: string;
  asset: string;
  amount: string;
  payTo: string;
  extra: { feePayer: string; memo?: string; recentBlockhash?: string; lastValidBlockHeight?: string };
}

// The sandbox names a wallet, a mint, an API key and a Solana node; on a real network they come from your configuration.
const world = await readWorld();
const [alice] = world.wallets;
const [usdc] = world.mints;
const client = new SplwrightClient({ url: service, apiKey: world.api_key });

// A server names its price: how much this program pays for one answer, and in which token, is yours to say.
const maxAmount = 2_000_000n;

const [, , url = 'http://127.0.0.1:4021/report'] = process.argv;
const asked = await fetch(url);
const answer = asked.status === 402 ? await payFor(asked) : asked;
console.log(answer.status, await answer.text());

/** Pays what a 402 answer asks for, and returns the answer to the paid request. */
async function payFor(refused: Response): Promise<Response> {
  const { accepts, resource } = fromHeader(refused.headers.get('payment-required'));
  const offer = await choose(accepts);
  const { memo, feePayer, recentBlockhash, lastValidBlockHeight } = offer.extra;
  const built = await client
    .buildTransfer({
      layout: 'x402',
      from_address: alice.address,
      to_address: offer.payTo,
      token_mint_address: offer.asset,
      amount: offer.amount,
      fee_payer: feePayer,
      ...(memo !== undefined && { memo }),
      ...(recentBlockhash !== undefined && { recent_blockhash: recentBlockhash }),
      ...(recentBlockhash && lastValidBlockHeight !== undefined && { last_valid_block_height: lastValidBlockHeight }),
    })
    .catch((error: unknown) => {
      if (error instanceof SplwrightError) throw new Error(`not payable, ${error.message}`);
      throw error;
    });
  // The client has verified it: docs/verify.md says what that means. The facilitator adds the other signature and sends it.
  const keyPair = await kit.createKeyPairFromBytes(kit.getBase58Encoder().encode(alice.secret_key));
  const decoded = kit.getTransactionDecoder().decode(built.transaction);
  const signed = kit.getBase64EncodedWireTransaction(await kit.partiallySignTransaction([keyPair], decoded));
  const payment = { x402Version: 2, resource, accepted: offer, payload: { transaction: signed } };
  const header = toBase64(new TextEncoder().encode(JSON.stringify(payment)));
  return fetch(url, { headers: { 'payment-signature': header } });
}

/** Takes the offer on the network that the service reads, in the token and up to the amount that may be paid. */
async function choose(accepts: readonly Offer[]): Promise<Offer> {
  const genesis = await kit.createSolanaRpc(world.rpc_url).getGenesisHash().send();
  const network = `solana:${genesis.slice(0, 32)}`;
  const offers = accepts.filter((each) => each.scheme === 'exact' && each.network === network);
  const offer = offers.find(({ asset, amount }) => asset === usdc.address && BigInt(amount) <= maxAmount);
  if (!offer) throw new Error(`no offer to pay at most ${maxAmount} on ${network}: ${JSON.stringify(accepts)}`);
  return offer;
}

function fromHeader(text: string | null): { accepts: readonly Offer[]; resource: unknown } {
  if (text === null) throw new Error('the 402 answer has no PAYMENT-REQUIRED header');
  return JSON.parse(Buffer.from(text, 'base64').toString());
}
