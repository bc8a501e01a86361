import { hsalsa, xsalsa20poly1305 } from '@noble/ciphers/salsa.js';
import { x25519 } from '@noble/curves/ed25519.js';
import { getBase58Decoder, getBase58Encoder } from '@solana/kit';
import { signWith } from './wallets.ts';

const toBase58 = (bytes: Uint8Array): string => getBase58Decoder().decode(bytes);
const fromBase58 = (text: string | null): Uint8Array => Uint8Array.from(getBase58Encoder().encode(text ?? ''));

/** A wallet app that is opened by links, as Phantom documents it, with other cryptography than that of the guide. */
export class DeeplinkWalletApp {
  readonly #account: { address: string; secret_key: string };
  readonly #keys = x25519.keygen();
  readonly #sessions = new Map<string, string>();

  constructor(account: { address: string; secret_key: string }) {
    this.#account = account;
  }

  /** Opens a link. Returns the link by which it opens the app again. */
  async open(link: string): Promise<string> {
    const { pathname, searchParams } = new URL(link);
    const redirect = searchParams.get('redirect_link') ?? '';
    const appKey = searchParams.get('dapp_encryption_public_key') ?? '';
    if (pathname === '/ul/v1/connect') {
      const session = toBase58(crypto.getRandomValues(new Uint8Array(48)));
      this.#sessions.set(appKey, session);
      const answer = this.#answer(appKey, { public_key: this.#account.address, session });
      return `${redirect}?phantom_encryption_public_key=${toBase58(this.#keys.publicKey)}&${answer}`;
    }
    if (pathname !== '/ul/v1/signTransaction') throw new Error(pathname);
    const opened = xsalsa20poly1305(this.#keyOf(appKey), fromBase58(searchParams.get('nonce'))).decrypt(
      fromBase58(searchParams.get('payload')),
    );
    const { transaction, session } = JSON.parse(new TextDecoder().decode(opened));
    if (session !== this.#sessions.get(appKey)) return `${redirect}?errorCode=4100&errorMessage=Unauthorized`;
    const signed = await signWith(fromBase58(transaction), [this.#account.secret_key]);
    return `${redirect}?${this.#answer(appKey, { transaction: toBase58(signed) })}`;
  }

  #answer(appKey: string, body: object): string {
    const nonce = crypto.getRandomValues(new Uint8Array(24));
    const data = xsalsa20poly1305(this.#keyOf(appKey), nonce).encrypt(new TextEncoder().encode(JSON.stringify(body)));
    return `nonce=${toBase58(nonce)}&data=${toBase58(data)}`;
  }

  /** The key of NaCl's `box`: HSalsa20 of the shared secret of X25519. */
  #keyOf(appKey: string): Uint8Array {
    const toWords = (bytes: Uint8Array): Uint32Array => new Uint32Array(Uint8Array.from(bytes).buffer);
    const sigma = toWords(new TextEncoder().encode('expand 32-byte k'));
    const key = new Uint32Array(8);
    const shared = x25519.getSharedSecret(this.#keys.secretKey, fromBase58(appKey));
    hsalsa(sigma, toWords(shared), new Uint32Array(4), key);
    return new Uint8Array(key.buffer);
  }
}
