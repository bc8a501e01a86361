import { startServer } from '../../test/setup/process.ts';

/** A wallet of the sandbox. Its secret key is base58 of 64 bytes. */
interface Wallet {
  name: string;
  address: string;
  secret_key: string;
}

/** A service that runs on its sandbox, in a process of its own. */
export interface Service {
  url: string;
  apiKey: string;
  /** The JSON-RPC of the sandbox. */
  rpcUrl: string;
  /** Its WebSocket, on the next port. */
  webSocketUrl: string;
  /** Returns the secret key of a wallet. */
  secretKeyOf(name: string): string;
  stop(): Promise<void>;
}

/** Starts the service as a user would: from its command, without configuration but free ports and these variables. */
export async function startService(environment: Record<string, string> = {}): Promise<Service> {
  const server = await startServer('exec node packages/server/bin/splwright.js serve', {
    PORT: '0',
    SANDBOX_RPC_PORT: '0',
    METRICS_PORT: '0',
    DATABASE_URL: 'sqlite::memory:',
    SOLANA_RPC_URLS: '',
    ...environment,
  });
  const reply = await fetch(`${server.url}/sandbox/world`);
  const world: { api_key: string; rpc_url: string; wallets: Wallet[] } = await reply.json();
  const webSocket = new URL(world.rpc_url.replace('http', 'ws'));
  webSocket.port = String(Number(webSocket.port) + 1);
  return {
    url: server.url,
    apiKey: world.api_key,
    rpcUrl: world.rpc_url,
    webSocketUrl: webSocket.href,
    secretKeyOf: (name) => {
      const wallet = world.wallets.find((each) => each.name === name);
      if (!wallet) throw new Error(`the sandbox has no ${name}`);
      return wallet.secret_key;
    },
    stop: () => server.stop(),
  };
}

/** Calls a method of the sandbox's JSON-RPC, without any library. Throws when it answers with an error. */
export async function callRpc<Result>(service: Service, method: string, params: readonly unknown[]): Promise<Result> {
  const reply = await fetch(service.rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const { result, error }: { result: Result; error?: unknown } = await reply.json();
  if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
  return result;
}
