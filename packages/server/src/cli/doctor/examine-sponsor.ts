import { ChainHead } from '../../chain/chain-head.ts';
import { accountsRequest } from '../../chain/chain-requests.ts';
import { RpcTransport } from '../../chain/rpc-transport.ts';
import type { Config } from '../../config.ts';
import { isAppError } from '../../problems.ts';
import { KoraClient } from '../../sponsor/kora-client.ts';
import { Sponsor } from '../../sponsor/sponsor.ts';
import { isFree } from '../../sponsor/sponsor-rules.ts';
import type { Diagnosis } from './diagnosis.ts';

const subject = 'sponsor';

/** Fewer lamports pay for less than a thousand transfers. */
const lowLamports = 10_000_000n;

/** Asks the sponsor who pays and by which rules, and the chain what it has; nothing where there is none. */
export async function examineSponsor({
  sponsor: config,
  rpcTimeoutMs: timeoutMs,
  solanaRpcUrls: [url],
  proxy,
}: Pick<Config, 'sponsor' | 'rpcTimeoutMs' | 'solanaRpcUrls' | 'proxy'>): Promise<readonly Diagnosis[]> {
  if (!config) return [];
  const client = new KoraClient({ ...config, timeoutMs });
  try {
    const { address, rules } = await new Sponsor(client, () => performance.now()).readTerms();
    const price = isFree(rules) ? 'for free' : 'for a fee';
    const finding = `${address} signs ${price}.`;
    if (url === undefined) return [{ subject, level: 'ok', finding }];
    const transport = new RpcTransport({ url, timeoutMs, proxy });
    const { accounts } = await transport.call(
      accountsRequest([address], new ChainHead({ hasSeveralUpstreams: false, now: Date.now })),
      timeoutMs,
    );
    const balance = accounts[0]?.lamports ?? 0n;
    const has = `${finding} It has ${balance} lamports.`;
    if (balance >= lowLamports) return [{ subject, level: 'ok', finding: has }];
    return [{ subject, level: 'warning', finding: has, remedy: `Send SOL to ${address}.` }];
  } catch (error) {
    if (!isAppError(error)) throw error;
    const remedy = 'Transfers that name another fee payer work. Check SPONSOR_URL, its credentials, and the server.';
    return [{ subject, level: 'warning', finding: error.message, remedy }];
  } finally {
    await client.close();
  }
}
