import * as kit from '@solana/kit';
import nacl from 'tweetnacl';

/** A wallet that is opened by links, such as Phantom: `https://phantom.app/ul/v1` and `phantom`. */
export interface WalletLinks {
  url: string;
  /** The prefix of its `…_encryption_public_key`. */
  name: string;
}

/** What the app keeps while a wallet is connected. */
export interface Connection {
  address: string;
  /** The wallet knows the app by it. */
  session: string;
  sharedSecret: Uint8Array;
}

const toBase58 = (bytes: Uint8Array): string => kit.getBase58Decoder().decode(bytes);
const fromBase58 = (text = ''): Uint8Array => Uint8Array.from(kit.getBase58Encoder().encode(text));

/** Talks to one wallet: each method makes a link to open, or reads the link by which the wallet comes back. */
export class DeeplinkWallet {
  readonly #wallet: WalletLinks;
  readonly #redirectLink: string;
  // A pair for each session, as the wallets ask for.
  readonly #keys = nacl.box.keyPair();

  /** `redirectLink` opens the app again, such as `teahouse://wallet`. */
  constructor(wallet: WalletLinks, redirectLink: string) {
    this.#wallet = wallet;
    this.#redirectLink = redirectLink;
  }

  /** Makes the link that asks the customer to connect. `appUrl` is where the wallet finds the name and icon of the app. */
  connectLink(appUrl: string, cluster: 'mainnet-beta' | 'devnet'): string {
    return this.#link('connect', { app_url: appUrl, cluster });
  }

  /** Reads who is connected. Throws what the wallet says when the customer refused. */
  readConnection(redirect: string): Connection {
    const answer = readAnswer(redirect);
    const walletKey = fromBase58(answer[`${this.#wallet.name}_encryption_public_key`]);
    const sharedSecret = nacl.box.before(walletKey, this.#keys.secretKey);
    const { public_key: address = '', session = '' } = decrypt(answer, sharedSecret);
    return { address, session, sharedSecret };
  }

  /** Makes the link that asks the customer to sign a transaction as it was built. */
  signLink(transaction: Uint8Array, { session, sharedSecret }: Connection): string {
    const nonce = nacl.randomBytes(24);
    const request = JSON.stringify({ transaction: toBase58(transaction), session });
    // All of it is ASCII. React Native has no TextDecoder everywhere.
    const payload = nacl.box.after(
      Uint8Array.from(request, (character) => character.charCodeAt(0)),
      nonce,
      sharedSecret,
    );
    return this.#link('signTransaction', { nonce: toBase58(nonce), payload: toBase58(payload) });
  }

  /** Reads the signed transaction, which nobody has sent yet. Throws what the wallet says when the customer refused. */
  readSigned(redirect: string, { sharedSecret }: Connection): Uint8Array {
    return fromBase58(decrypt(readAnswer(redirect), sharedSecret).transaction);
  }

  #link(method: string, parameters: Record<string, string>): string {
    const all = {
      dapp_encryption_public_key: toBase58(this.#keys.publicKey),
      redirect_link: this.#redirectLink,
      ...parameters,
    };
    const query = Object.entries(all).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
    return `${this.#wallet.url}/${method}?${query.join('&')}`;
  }
}

/** Reads the parameters of a link. React Native's own `URL` cannot. */
function readAnswer(redirect: string): Partial<Record<string, string>> {
  const [, query = ''] = redirect.split('?');
  const pairs = query.split('&').map((pair) => pair.split('='));
  const answer = Object.fromEntries(pairs.map(([name = '', value = '']) => [name, decodeURIComponent(value)]));
  if (answer.errorCode !== undefined) throw new Error(`${answer.errorCode}: ${answer.errorMessage}`);
  return answer;
}

function decrypt({ data, nonce }: Partial<Record<string, string>>, sharedSecret: Uint8Array): Record<string, string> {
  const opened = nacl.box.open.after(fromBase58(data), fromBase58(nonce), sharedSecret);
  if (!opened) throw new Error('this is not the answer of the connected wallet');
  return JSON.parse(String.fromCharCode(...opened));
}
