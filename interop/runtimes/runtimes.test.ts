import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createContext, runInContext } from 'node:vm';
import { EdgeVM } from '@edge-runtime/vm';
import { AbortController as PolyfilledController } from 'abort-controller';
import { build } from 'esbuild';
import { signWith } from '../../test/setup/wallets.ts';
import { callRpc, type Service, startService } from '../setup/service.ts';

const run = promisify(execFile);
const packages = fileURLToPath(new URL('node_modules', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'splwright-runtimes-'));
after(() => rmSync(folder, { recursive: true }));

// What is published has no types, as here.
const { outputFiles } = await build({
  entryPoints: [fileURLToPath(new URL('trial.ts', import.meta.url))],
  bundle: true,
  format: 'iife',
  globalName: 'trial',
  target: 'es2022',
  write: false,
});
const trial = outputFiles[0]?.text ?? '';

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service.stop());

async function assertPaid(printed: string): Promise<void> {
  const [outcome, signature] = printed.trim().split(' ');
  assert.equal(outcome, 'landed', printed);
  const { value } = await callRpc<{ value: readonly ({ err: unknown } | null)[] }>(service, 'getSignatureStatuses', [
    [signature],
  ]);
  assert.equal(value[0]?.err, null);
}

const commands: Readonly<Record<string, readonly string[]>> = {
  'Node 20': [join(packages, `node-linux-${process.arch}`, 'bin/node')],
  Deno: [join(packages, '.bin/deno'), 'run', '--quiet', '--no-config', '--allow-net'],
  Bun: [join(packages, '.bin/bun'), 'run'],
};

describe('the client pays', { concurrency: true }, () => {
  for (const [name, [command = '', ...words]] of Object.entries(commands)) {
    test(`in ${name}`, async () => {
      const file = join(folder, `${name.replace(' ', '-')}.js`);
      writeFileSync(file, `${trial}\ntrial.pay('${service.url}', 'in ${name}').then((paid) => console.log(paid));\n`);
      const { stdout, stderr } = await run(command, [...words, file], { cwd: folder });
      assert.equal(stderr.replaceAll(/^.*ExperimentalWarning.*$|^\(Use `node --trace.*$/gm, '').trim(), '');
      await assertPaid(stdout);
    });
  }

  for (const name of ['Deno', 'Bun']) {
    test(`in ${name}, from its TypeScript`, async () => {
      const source = fileURLToPath(new URL('trial.ts', import.meta.url));
      const file = join(folder, `${name}-source.ts`);
      writeFileSync(
        file,
        `import { pay } from '${source}';\nconsole.log(await pay('${service.url}', 'source ${name}'));\n`,
      );
      const [command = '', ...words] = commands[name] ?? [];
      await assertPaid((await run(command, [...words, file], { cwd: folder })).stdout);
    });
  }

  test('in an edge runtime', async () => {
    const edge = new EdgeVM();
    edge.evaluate(trial);
    assert.equal(edge.evaluate('typeof process + typeof Buffer + typeof require'), 'undefined'.repeat(3));
    await assertPaid(await edge.evaluate(`trial.pay('${service.url}', 'at the edge')`));
  });

  test('where there is only what React Native has, with the signals that it has', async () => {
    const context = createContext({ ...reactNativeGlobals(), url: service.url, sign: signOutside });
    runInContext(trial, context);
    assert.equal(runInContext('typeof process + typeof Buffer + typeof crypto', context), 'undefined'.repeat(3));
    await assertPaid(
      await runInContext(`trial.pay(url, 'in an app', sign, { signal: new AbortController().signal })`, context),
    );
    const ended = runInContext(
      `const ending = new AbortController(); ending.abort(); trial.pay(url, 'ended', sign, { signal: ending.signal })`,
      context,
    );
    await assert.rejects(ended, { name: 'AbortError' });
  });
});

/** The globals of React Native that the client may use: its `AbortController` is a package from before `reason` was there. */
function reactNativeGlobals() {
  const polyfilledFetch = (url: string, { signal, ...init }: RequestInit = {}): Promise<Response> =>
    new Promise((resolve, reject) => {
      signal?.addEventListener('abort', () => reject(new Error('Aborted')));
      fetch(url, init).then(resolve, reject);
    });
  return { fetch: polyfilledFetch, AbortController: PolyfilledController, setTimeout, clearTimeout, atob, btoa };
}

async function signOutside(message: Uint8Array, secretKey: string): Promise<Uint8Array> {
  const signed = await signWith(Uint8Array.from([1, ...new Uint8Array(64), ...message]), [secretKey]);
  return Uint8Array.from(signed.subarray(1, 65));
}
