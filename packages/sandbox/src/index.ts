import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Ledger } from './ledger/ledger.ts';
import type { SlotsToFinalize } from './ledger/slot-clock.ts';
import { createRpcServer } from './rpc/rpc-server.ts';
import { attachWebSocketServer } from './rpc/websocket-server.ts';
import { type SandboxWorld, seedWorld } from './world.ts';

export type { Ledger } from './ledger/ledger.ts';
export type { SandboxWorld } from './world.ts';

/** How to start a sandbox. */
export interface SandboxOptions {
  /** The port of the JSON-RPC; its WebSocket is on the next one. By default, and with 0, a free pair is picked. */
  rpcPort?: number;
  /** The address to listen at; 127.0.0.1 by default. */
  host?: string;
  /** How long a slot lasts; 200, as on mainnet now, by default. With 0, slots pass only by `ledger.advanceSlots`. */
  slotMs?: number;
  /**
   * Runs a transaction at `finalized` when `sendTransaction` or `simulateTransaction` names no commitment, as a validator
   * does: a newer blockhash is then "Blockhash not found". By default `confirmed` is taken.
   */
  strictPreflight?: boolean;
  /**
   * How many slots later a slot is final: 0 by default, as on mainnet now (Alpenglow); 32, as before (TowerBFT), by default with
   * `strictPreflight`.
   */
  slotsToFinalize?: SlotsToFinalize;
  /** Loads the classic SPL Token program in place of p-token. */
  classicTokenProgram?: boolean;
  /** The rent: an account holds at least this for each byte of its data, and of 128 more. 5,080, as on mainnet now, by default. */
  lamportsPerByte?: bigint;
}

/** A running sandbox. */
export interface Sandbox {
  rpcUrl: string;
  webSocketUrl: string;
  world: SandboxWorld;
  /** The ledger, for setting up situations without the network. */
  ledger: Ledger;
  /** Ends every connection and frees both ports; nothing is left that keeps the process alive. */
  close(): Promise<void>;
}

const defaultSlotMs = 200;

/** Tries at a free pair of ports: the port after a free one may be taken. */
const maxPortAttempts = 20;

function isPortInUse(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}

/** Listens and returns the port; rejects with Node's error, whose `code` and `port` say what is wrong. */
function listen(server: Server, port: number, host: string): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('the server has no port'));
      else resolve(address);
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function listenOnPair(rpc: Server, webSocket: Server, options: SandboxOptions): Promise<number> {
  const { rpcPort = 0, host = '127.0.0.1' } = options;
  for (let attempt = 1; ; attempt += 1) {
    const { port } = await listen(rpc, rpcPort, host);
    try {
      await listen(webSocket, port + 1, host);
      return port;
    } catch (error) {
      await close(rpc);
      const another = rpcPort === 0 && attempt < maxPortAttempts;
      if (!another || !isPortInUse(error)) throw error;
    }
  }
}

/** Lets slots pass as time does, also past timers that come late. */
function passSlots(ledger: Ledger, slotMs: number): NodeJS.Timeout {
  const start = performance.now();
  let passed = 0;
  const pass = () => {
    const due = Math.floor((performance.now() - start) / slotMs) - passed;
    if (due < 1) return;
    passed += due;
    ledger.advanceSlots(due);
  };
  return setInterval(pass, slotMs).unref();
}

/** The host of a URL at which this machine reaches what listens at an address; one that means every address is none to connect to. */
function authorityOf(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

/**
 * Starts a ledger with a seeded world and serves it as standard Solana JSON-RPC and WebSocket.
 * Rejects with an error of `code` 'EADDRINUSE' and `port` when one of the two ports is in use.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const slotMs = options.slotMs ?? defaultSlotMs;
  const { strictPreflight = false, classicTokenProgram = false, lamportsPerByte } = options;
  const ledger = new Ledger({
    slotMs,
    slotsToFinalize: options.slotsToFinalize ?? (strictPreflight ? 32 : 0),
    classicTokenProgram,
    ...(lamportsPerByte !== undefined && { lamportsPerByte }),
  });
  const rpcServer = createRpcServer(ledger, { strictPreflight });
  const webSocketServer = createServer((_request, response) => response.writeHead(426).end('WebSocket only\n'));
  const port = await listenOnPair(rpcServer, webSocketServer, options);
  const closeWebSockets = attachWebSocketServer(ledger, webSocketServer);
  const world = await seedWorld(ledger);
  const timer = slotMs === 0 ? undefined : passSlots(ledger, slotMs);
  const authority = authorityOf(options.host ?? '127.0.0.1');
  return {
    rpcUrl: `http://${authority}:${port}`,
    webSocketUrl: `ws://${authority}:${port + 1}`,
    world,
    ledger,
    async close() {
      clearInterval(timer);
      await closeWebSockets();
      await Promise.all([close(rpcServer), close(webSocketServer)]);
    },
  };
}
