import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { createReplyLog } from '../../src/serve/log-output.ts';

const base = { pid: 17, hostname: 'a "b"' };
const reply = { request_id: 'a1:b2_c3', method: 'POST', route: '/problems/:code', status: 200, milliseconds: 1 };

/** What pino and the log of replies write of the same replies, without the time. */
function writtenBoth(level: string, replies: readonly (typeof reply)[]): { pinos: string[]; own: string[] } {
  const [pinos, own]: [string[], string[]] = [[], []];
  const withoutTime = (line: string): string => line.replace(/"time":\d+/, '"time":0');
  const logger = pino({ level, base }, { write: (line: string) => pinos.push(withoutTime(line)) });
  const log = createReplyLog(logger, base, (line) => own.push(withoutTime(line)));
  for (const fields of replies) {
    logger.info(fields, 'request');
    log(fields);
  }
  return { pinos, own };
}

test('The line of a reply is the one that pino writes, whatever the time it took', () => {
  const times = [0, 0.001, 0.01, 0.1, 0.5, 0.999, 1, 3.217, 12.04, 999.9, 1_000, 5_000.001, 123_456.78];
  const { pinos, own } = writtenBoth(
    'info',
    times.map((milliseconds) => ({ ...reply, milliseconds })),
  );
  assert.deepEqual(own, pinos);
  assert.equal(own.length, times.length);
});

test('The line of a reply is the one that pino writes, whatever the route and the status', () => {
  const { pinos, own } = writtenBoth('info', [
    reply,
    { ...reply, method: 'GET', route: 'none', status: 404, request_id: 'x'.repeat(128) },
    { ...reply, method: 'M-SEARCH', route: '/v1/transfers', status: 503, request_id: '0' },
  ]);
  assert.deepEqual(own, pinos);
});

test('The line of a reply has the time of its writing, to the millisecond', (context) => {
  const lines: string[] = [];
  const log = createReplyLog(pino(), base, (line) => lines.push(line));
  context.mock.timers.enable({ apis: ['Date'], now: 1_700_000_000_000 });
  log(reply);
  log(reply);
  context.mock.timers.tick(1);
  log(reply);
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).time),
    [1_700_000_000_000, 1_700_000_000_000, 1_700_000_000_001],
  );
});

test('No line is written of replies above their level', () => {
  assert.deepEqual(writtenBoth('warn', [reply]), { pinos: [], own: [] });
});
