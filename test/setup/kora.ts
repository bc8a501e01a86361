import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import {
  createKeyPairFromBytes,
  createSolanaRpc,
  getBase58Encoder,
  getBase64EncodedWireTransaction,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  signTransaction,
} from '@solana/kit';
import type { Cleanup } from './service.ts';

const associatedTokenProgram = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';
// Its bytes and 128 more, times the lamports for each.
const tokenAccountRent = (165 + 128) * 5_080;

/** What the played Kora runs on: its wallet, its node, and the text of its `kora.toml`. */
interface KoraOptions {
  signer: { address: string; secret_key: string };
  rpcUrl: string;
  configuration: string;
}

/**
 * Plays the part of Kora that a sponsored transfer meets, by its documented JSON-RPC and the rules of its configuration.
 *
 * It is no Kora: fees, usage limits and the checks of other instructions are missing. Returns its URL.
 */
export async function startPlayedKora(t: Cleanup, { signer, rpcUrl, configuration }: KoraOptions): Promise<string> {
  const numberOf = (name: string): number => Number(new RegExp(`^${name} = (\\d+)$`, 'm').exec(configuration)?.[1]);
  const [, list = ''] = /^allowed_programs = \[([^\]]*)\]/m.exec(configuration) ?? [];
  const allowedPrograms = new Set([...list.matchAll(/"(\w+)"/g)].map(([, program]) => program));
  const mayCreate = /^\[validation\.fee_payer_policy\.system\]\nallow_create_account = true$/m.test(configuration);
  const rpc = createSolanaRpc(rpcUrl);

  const signAndSend = async (params: { transaction: string; signer_key: string }) => {
    if (params.signer_key !== signer.address) throw new Error(`no signer ${params.signer_key}`);
    const transaction = getTransactionDecoder().decode(getBase64Encoder().encode(params.transaction));
    const message = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes);
    if (!('instructions' in message)) throw new Error('a message of a version that Kora does not read');
    const { staticAccounts, header, instructions } = message;
    if (staticAccounts[0] !== signer.address) throw new Error('the fee payer is another wallet');
    if (header.numSignerAccounts > numberOf('max_signatures')) throw new Error('too many signatures');
    const programs = instructions.map(({ programAddressIndex }) => String(staticAccounts[programAddressIndex]));
    const foreign = programs.find((program) => !allowedPrograms.has(program));
    if (foreign !== undefined) throw new Error(`Program ${foreign} is not in the allowed list`);
    const creations = programs.filter((program) => program === associatedTokenProgram).length;
    if (creations > 0 && !mayCreate) throw new Error('the fee payer may not create accounts');
    if (creations * tokenAccountRent > numberOf('max_allowed_lamports')) throw new Error('exceeds maximum allowed');
    const keyPair = await createKeyPairFromBytes(getBase58Encoder().encode(signer.secret_key));
    const signed = getBase64EncodedWireTransaction(await signTransaction([keyPair], transaction));
    const config = { encoding: 'base64', preflightCommitment: 'confirmed' } as const;
    const signature = await rpc.sendTransaction(signed, config).send();
    return { signature, signed_transaction: signed, signer_pubkey: signer.address };
  };
  const answer = async (method: string, params: { transaction: string; signer_key: string }): Promise<object> => {
    if (method === 'getPayerSigner') return { signer_address: signer.address, payment_address: signer.address };
    if (method === 'signAndSendTransaction') return signAndSend(params);
    throw new Error(`Method not found: ${method}`);
  };
  const server = createServer((request, response) => {
    json(request)
      .then((body) => answer(Object(body).method, Object(body).params))
      .then(
        (result) => ({ jsonrpc: '2.0', id: 1, result }),
        (error: Error) => ({ jsonrpc: '2.0', id: 1, error: { code: -32_000, message: error.message } }),
      )
      .then((body) => response.setHeader('content-type', 'application/json').end(JSON.stringify(body)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(async () => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
