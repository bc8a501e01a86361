/**
 * The Solana node of the attacks, in a process of its own: a sandbox, except that the accounts of busy wallets have long
 * histories. Tells its parent the URL, the RPC of the sandbox itself, and the secret key of alice.
 */
import { randomBytes } from 'node:crypto';
import { PublicKey, Transaction, TransactionInstruction } from '@solana/web3.js';
import { encodeBase58 } from '../../packages/core/src/index.ts';
import { startSandbox } from '../../packages/sandbox/src/index.ts';
import { toJson } from '../../packages/sandbox/src/rpc/wire/json.ts';
import { type ProxiedCall, startFaultProxy } from '../setup/fault-proxy.ts';
import { named } from '../setup/wallets.ts';
import { busyWallets, transfersPerTransaction, usdcAccountOf, veryBusyWallets } from './busy-wallets.ts';

const pageSize = 1_000;
const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const tokenProgram = new PublicKey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');
const sandbox = await startSandbox({ rpcPort: 0 });
const { world, ledger } = sandbox;
const usdc = named(world.mints, 'USDC').address;

const accountsOf = (wallets: readonly string[]): Set<string> =>
  new Set(wallets.flatMap((wallet) => [wallet, usdcAccountOf(wallet)]));
const [busy, veryBusy] = [accountsOf(busyWallets), accountsOf(veryBusyWallets)];
const landed = transactionOfManyTransfers(usdcAccountOf(busyWallets[0] ?? ''));

const proxy = await startFaultProxy({ after: () => undefined }, { ledger, name: 'attacked' });
proxy.fault = ({ calls, response, answer }) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(withHistory(answer(), calls));
};
process.send?.({ url: proxy.url, rpcUrl: sandbox.rpcUrl, secretKey: named(world.wallets, 'alice').secret_key });
process.on('disconnect', () => process.exit());

/** The text of a reply, in which the ledger knows nothing of busy accounts. It is not parsed: a real node is faster than that. */
function withHistory(text: string, [call]: readonly ProxiedCall[]): string {
  if (call?.method === 'getTransaction') return text.replace('"result":null', `"result":${toJson(landed())}`);
  if (call?.method !== 'getSignaturesForAddress') return text;
  const address = String(call.params[0]);
  if (veryBusy.has(address)) return text.replace('"result":[]', `"result":${page(pageSize)}`);
  return busy.has(address) ? text.replace('"result":[]', `"result":${page(240)}`) : text;
}

/** So many transactions of now, with signatures that no other page has. */
function page(length: number): string {
  const blockTime = Math.floor(Date.now() / 1_000);
  const rest = `","slot":${ledger.slot('finalized')},"err":null,"memo":null,"blockTime":${blockTime},"confirmationStatus":"finalized"}`;
  const first = encodeBase58(randomBytes(32));
  const second = encodeBase58(randomBytes(29));
  const entry = (_: unknown, index: number): string => `{"signature":"${first}${second}${letters(index)}${rest}`;
  return `[${Array.from({ length }, entry).join()}]`;
}

/** A transaction that fills its 1,232 bytes with transfers from one token account to others. */
function transactionOfManyTransfers(source: string) {
  const [authority, to] = [new PublicKey(randomBytes(32)), new PublicKey(randomBytes(32))];
  const transaction = new Transaction({
    feePayer: authority,
    blockhash: encodeBase58(randomBytes(32)),
    lastValidBlockHeight: 1,
  });
  const data = Buffer.from([12, 1, 0, 0, 0, 0, 0, 0, 0, 6]);
  const keys = [
    { pubkey: new PublicKey(source), isSigner: false, isWritable: true },
    { pubkey: new PublicKey(usdc), isSigner: false, isWritable: false },
    { pubkey: to, isSigner: false, isWritable: true },
    { pubkey: authority, isSigner: true, isWritable: false },
  ];
  for (let count = 0; count < transfersPerTransaction; count += 1) {
    transaction.add(new TransactionInstruction({ programId: tokenProgram, keys, data }));
  }
  transaction.addSignature(authority, randomBytes(64));
  const bytes = transaction.serialize({ verifySignatures: false }).toString('base64');
  return () => ({
    slot: ledger.slot('finalized'),
    blockTime: Math.floor(Date.now() / 1_000),
    version: 'legacy',
    transaction: [bytes, 'base64'],
    meta: {
      err: null,
      fee: 5_000,
      innerInstructions: [],
      preTokenBalances: [],
      postTokenBalances: [],
      loadedAddresses: { writable: [], readonly: [] },
    },
  });
}

function letters(index: number): string {
  return [alphabet[Math.floor(index / 58)], alphabet[index % 58]].join('');
}
