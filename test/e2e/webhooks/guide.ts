import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { createBody } from '../../../packages/server/test/app/sample-bodies.ts';
import { freePort } from '../../setup/free-port.ts';
import { landInWorld } from '../../setup/land.ts';
import { startTestService } from '../../setup/service.ts';
import { readUntil } from '../../setup/wait-until.ts';
import { blocksOf, openShell } from '../documents/document-shell.ts';

const path = 'docs/webhooks.md';

/** Runs the commands of the guide against its endpoint in a language, and asserts that it takes every event and nothing else. */
export async function assertGuide(t: TestContext, language: 'ts' | 'python', interpreter: string): Promise<void> {
  const service = await startTestService(t);
  const port = await freePort();
  const places = { 'http://127.0.0.1:3000': service.url, '127.0.0.1:8080': `127.0.0.1:${port}` };
  const shell = openShell(t, {}, places);
  const [make = '', test = '', watch = '', list = ''] = blocksOf(path, 'sh');
  const { secret, id } = JSON.parse(await shell.run(make)).data;
  const [program = ''] = blocksOf(path, language);
  const file = join(shell.folder, `endpoint.${language}`);
  writeFileSync(file, program.replace('8080', String(port)));
  const env = { ...process.env, WEBHOOK_SECRET: secret };
  const endpoint = spawn(interpreter, [file], { env, stdio: ['ignore', 'pipe', 'ignore'] });
  t.after(() => endpoint.kill());
  let printed = '';
  endpoint.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  const events = async (count: number) => {
    const lines = () => printed.split('\n').slice(0, -1);
    const found = await readUntil(lines, ({ length }) => length >= count);
    return found.map((line) => /^(\S+) (\d+) (.*)$/.exec(line)).map((each) => [each?.[1], JSON.parse(each?.[3] ?? '')]);
  };

  const forged = () =>
    fetch(`http://127.0.0.1:${port}/webhooks`, { method: 'POST', body: '{"type":"payment_link.final"}' });
  assert.equal(
    await readUntil(
      () =>
        forged().then(
          ({ status }) => status,
          () => 0,
        ),
      (status) => status !== 0,
    ),
    400,
  );
  await shell.run(test);
  assert.deepEqual(await events(1), [['webhook.test', { endpoint_id: id }]]);

  await shell.run(watch);
  const built = await service.post('/v1/transfers', { ...createBody, memo: 'order 1001' });
  await landInWorld(service.sandbox, Object(await built.json()).data.transaction);
  const [, ...paid] = await events(3);
  assert.deepEqual(paid.map(([type]) => type).sort(), ['payment.final', 'payment.received']);
  const [credit] = JSON.parse(await shell.run(list)).data;
  assert.deepEqual([credit.memo, credit.amount, credit.state], ['order 1001', createBody.amount, 'finalized']);
}
