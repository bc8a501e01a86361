import { spawn } from 'node:child_process';
import { once } from 'node:events';

const openModule = new URL('../../src/keys/store/open-key-store.ts', import.meta.url).href;

/** Opens a key store as `store` in another process, runs a script there, and resolves to what that process wrote. */
export async function withStoreInChildProcess(
  databaseUrl: string,
  script: string,
): Promise<{ status: unknown; output: string }> {
  const whole = `
    const { openKeyStore } = await import(${JSON.stringify(openModule)});
    const store = await openKeyStore(process.env.DATABASE_URL);
    ${script}
    await store.close();`;
  const env = { PATH: process.env.PATH, DATABASE_URL: databaseUrl };
  const child = spawn(process.execPath, ['--input-type=module', '--eval', whole], { stdio: 'pipe', env });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (output += chunk));
  const [status] = await once(child, 'close');
  return { status, output: output.trim() };
}
