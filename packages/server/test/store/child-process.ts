import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';

const openModule = new URL('../../src/serve/store/open-key-store.ts', import.meta.url).href;

/** Opens a key store as `store` in another process, runs a script there, and resolves to what that process wrote. */
export function withStoreInChildProcess(databaseUrl: string, script: string): Promise<EndOfProcess> {
  return startStoreProcess(databaseUrl, script).ended;
}

/** How a process ended, and what it wrote. */
interface EndOfProcess {
  /** `null` when it was killed. */
  status: unknown;
  output: string;
}

/** A process that has a key store open. */
interface StoreProcess {
  /** Resolves once its script waits in `await go()`. */
  ready: Promise<void>;
  /** Lets the script go on from there. */
  go(): void;
  /** Resolves once it has written a text. */
  printed(text: string): Promise<void>;
  /** Ends it as `kill -9` does. */
  kill(): void;
  ended: Promise<EndOfProcess>;
}

const waiting = 'waiting to go\n';

/** Starts another process that opens a key store as `store` and runs a script. */
export function startStoreProcess(
  databaseUrl: string,
  script: string,
  use: 'command' | 'service' = 'command',
): StoreProcess {
  const whole = `
    const { openKeyStore } = await import(${JSON.stringify(openModule)});
    const store = await openKeyStore(process.env.DATABASE_URL, { use: '${use}' });
    const go = async () => {
      console.log(${JSON.stringify(waiting.trim())});
      for await (const _ of process.stdin) break;
    };
    ${script}
    await store.close();`;
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, DATABASE_URL: databaseUrl, ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }) };
  const child = spawn(process.execPath, ['--input-type=module', '--eval', whole], { stdio: 'pipe', env });
  const closed = once(child, 'close');
  let output = '';
  const texts = new EventEmitter<{ text: [] }>();
  const onText = (chunk: unknown) => {
    output += chunk;
    texts.emit('text');
  };
  child.stdout.on('data', onText);
  child.stderr.on('data', onText);
  const printed = async (text: string): Promise<void> => {
    while (!output.includes(text)) {
      const ended = await Promise.race([once(texts, 'text').then(() => false), closed.then(() => true)]);
      if (ended && !output.includes(text)) throw new Error(`ended without "${text.trim()}": ${output}`);
    }
  };
  return {
    get ready() {
      return printed(waiting);
    },
    go: () => child.stdin.end('go'),
    printed,
    kill: () => child.kill('SIGKILL'),
    ended: closed.then(([status]) => ({ status, output: output.replace(waiting, '').trim() })),
  };
}
