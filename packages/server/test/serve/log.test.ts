import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { type Logger, pino } from 'pino';
import { temporaryFolder } from '../../../../test/setup/temporary-folder.ts';
import { openLog } from '../../src/serve/log.ts';

/** What is written of what is logged, without colors. */
async function written(t: TestContext, isTerminal: boolean, use: (logger: Logger) => void): Promise<string> {
  const path = `${temporaryFolder(t)}/log`;
  const log = await openLog(path, { isTerminal, onResume: () => undefined });
  use(pino({ level: 'trace', base: { pid: 17, hostname: 'host' } }, { write: (line: string) => log.write(line) }));
  log.end();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colors begin with one.
  return readFileSync(path, 'utf8').replaceAll(/\u001b\[\d+m/g, '');
}

const reply = { request_id: 'a1', method: 'POST', route: '/v1/transfers', status: 200, milliseconds: 3.25 };

test('A log has a line of JSON for each entry, also of those that are pending at its end', async (t) => {
  const text = await written(t, false, (logger) => {
    for (let count = 0; count < 1000; count++) logger.info(reply, 'request');
  });
  const lines = text.trimEnd().split('\n');
  assert.equal(lines.length, 1000);
  for (const line of lines) assert.deepEqual({ ...JSON.parse(line), ...reply }, JSON.parse(line));
});

test('On a terminal a reply is a line with what was asked, the status and the time it took', async (t) => {
  const text = await written(t, true, (logger) => logger.info(reply, 'request'));
  assert.match(text, /^\[\d\d:\d\d:\d\d\] INFO: request POST \/v1\/transfers 200 in 3\.25 ms \{"request_id":"a1"\}\n$/);
});

test('On a terminal a text can neither begin a line nor send a command', async (t) => {
  const text = await written(t, true, (logger) => logger.warn({ reason: 'a\nb\u001b[2J' }, 'not ready'));
  assert.match(text, /^\S+ WARN: not ready \{"reason":"a\\nb␛\[2J"\}\n$/);
});
