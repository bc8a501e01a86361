import { once } from 'node:events';
import { WebSocketServer } from 'ws';

const { subtle } = globalThis.crypto;
const curve = { name: 'ECDH', namedCurve: 'P-256' } as const;
const keyBytes = 65;

/** What a wallet answers: a result for a method and its parameters. Throw to refuse. */
export type Handle = (method: string, parameters: Record<string, unknown>) => Promise<object>;

/**
 * The wallet's side of a local session of the Mobile Wallet Adapter 2.0, written from its specification.
 *
 * `associationUrl` is what the app had the phone open. The session ends when the app closes it.
 */
export async function answerSession(associationUrl: URL, handle: Handle): Promise<void> {
  const { pathname, searchParams } = associationUrl;
  if (pathname !== '/v1/associate/local') throw new Error(pathname);
  const association = Buffer.from(searchParams.get('association') ?? '', 'base64url');
  const server = new WebSocketServer({
    port: Number(searchParams.get('port')),
    host: 'localhost',
    path: '/solana-wallet',
  });
  const [socket] = await once(server, 'connection');
  let sent = 0;
  let received = 0;
  let key: CryptoKey | undefined;

  const encrypt = async (aesKey: CryptoKey, message: object): Promise<Buffer> => {
    const sequence = Buffer.alloc(4);
    sent += 1;
    sequence.writeUInt32BE(sent);
    const iv = crypto.getRandomValues(new Uint8Array(12));
    const text = new TextEncoder().encode(JSON.stringify(message));
    const algorithm = { name: 'AES-GCM', iv, additionalData: sequence, tagLength: 128 };
    return Buffer.concat([sequence, iv, Buffer.from(await subtle.encrypt(algorithm, aesKey, text))]);
  };
  const decrypt = async (aesKey: CryptoKey, bytes: Uint8Array<ArrayBuffer>): Promise<string> => {
    received += 1;
    if (new DataView(bytes.buffer).getUint32(0) !== received) throw new Error('a message is missing');
    const [sequence, iv] = [bytes.subarray(0, 4), bytes.subarray(4, 16)];
    const algorithm = { name: 'AES-GCM', iv, additionalData: sequence, tagLength: 128 };
    return new TextDecoder().decode(await subtle.decrypt(algorithm, aesKey, bytes.subarray(16)));
  };
  /** The first message of the app: its key for the session, signed by the key of the association. */
  const greet = async (hello: Uint8Array<ArrayBuffer>): Promise<CryptoKey> => {
    const [appKey, signature] = [hello.subarray(0, keyBytes), hello.subarray(keyBytes)];
    const signer = await subtle.importKey('raw', association, { ...curve, name: 'ECDSA' }, false, ['verify']);
    const isSigned = await subtle.verify({ name: 'ECDSA', hash: 'SHA-256' }, signer, signature, appKey);
    if (!isSigned) throw new Error('the app is not the one that opened the wallet');
    const own = await subtle.generateKey(curve, false, ['deriveBits']);
    const other = await subtle.importKey('raw', appKey, curve, false, []);
    const shared = await subtle.deriveBits({ name: 'ECDH', public: other }, own.privateKey, 256);
    const secret = await subtle.importKey('raw', shared, 'HKDF', false, ['deriveKey']);
    const derivation = { name: 'HKDF', hash: 'SHA-256', salt: association, info: new Uint8Array() };
    const aesKey = await subtle.deriveKey(derivation, secret, { name: 'AES-GCM', length: 128 }, false, [
      'encrypt',
      'decrypt',
    ]);
    const ownKey = Buffer.from(await subtle.exportKey('raw', own.publicKey));
    socket.send(Buffer.concat([ownKey, await encrypt(aesKey, { v: 'v1' })]));
    return aesKey;
  };
  socket.on('message', async (message: Buffer) => {
    const bytes = Uint8Array.from(message);
    if (key === undefined) {
      key = await greet(bytes);
      return;
    }
    const { id, method, params } = JSON.parse(await decrypt(key, bytes));
    const answer = await handle(method, params).then(
      (result) => ({ result }),
      (error: Error) => ({ error: { code: -3, message: error.message } }),
    );
    socket.send(await encrypt(key, { jsonrpc: '2.0', id, ...answer }));
  });
  await once(socket, 'close');
  server.close();
}
