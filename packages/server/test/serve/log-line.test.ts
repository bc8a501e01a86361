import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Logger, pino } from 'pino';
import { formatLogLine } from '../../src/serve/log-line.ts';
import { createReplyLog } from '../../src/serve/log-output.ts';

const base = { pid: 17, hostname: 'host' };

/** What a person reads of what is logged. */
function readLines(log: (logger: Logger) => void): string {
  const lines: string[] = [];
  log(pino({ level: 'trace', base }, { write: (line: string) => lines.push(formatLogLine(line)) }));
  return lines.join('');
}

test('A line has the time of day, the level, the message and what else it names, and not the process', () => {
  const text = readLines((logger) =>
    logger.warn({ drain_ms: 3000, reason: 'a b', upstreams: { 1: 'ok' } }, 'not ready'),
  );
  assert.match(text, /^\d\d:\d\d:\d\d warn {2}not ready {2}drain_ms=3000 {2}reason=a b {2}upstreams=\{"1":"ok"\}\n$/);
});

test('The line of a reply is what was asked, the status and the time it took', () => {
  const lines: string[] = [];
  const reply = { request_id: 'a1', method: 'POST', route: '/v1/transfers', status: 200, milliseconds: 3.25 };
  createReplyLog(pino(), base, (line) => lines.push(formatLogLine(line)))(reply);
  assert.match(lines.join(''), /^\S+ info {2}POST \/v1\/transfers 200 in 3\.25 ms {2}request_id=a1\n$/);
});

test('A failure has its stack below it', () => {
  const text = readLines((logger) => logger.error({ request_id: 'a1', err: new RangeError('too far') }, 'failed'));
  assert.match(text, /^\S+ error failed {2}request_id=a1\n {2}RangeError: too far\n {6}at .+\n/);
});

test('Nothing in a line can disturb a terminal or pass for a line of its own', () => {
  const text = readLines((logger) => logger.info({ reason: 'a\nb\u001b[31m\u202e' }, 'x\r\ny'));
  assert.match(text, /x⟨U\+000D⟩⟨U\+000A⟩y {2}reason=a⟨U\+000A⟩b⟨U\+001B⟩\[31m⟨U\+202E⟩\n$/);
  assert.equal(text.split('\n').length, 2);
});

test('What is not JSON stays as it is', () => {
  assert.equal(formatLogLine('plain\n'), 'plain\n');
});
