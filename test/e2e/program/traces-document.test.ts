import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { traceVariables } from '../../../packages/server/src/config/variables.ts';
import { startOtlpReceiver } from '../../setup/otlp-receiver.ts';
import { repository, runCommand, startServer } from '../../setup/process.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';

const document = readFileSync(join(repository, 'docs/operate/traces.md'), 'utf8');
const commands = [...document.matchAll(/^```sh\n(.*?)\n```$/gms)].map(([, command = '']) => command);

describe('docs/operate/traces.md', () => {
  it('has two commands, which send a trace to the collector that is named, in the trace of the caller', async (t) => {
    const [serve = '', ask = '', ...more] = commands;
    assert.deepEqual(more, []);
    const collector = await startOtlpReceiver(t);
    assert.ok(serve.includes('http://127.0.0.1:4318 '));
    const server = await startServer(serve.replace('http://127.0.0.1:4318', collector.url), {
      PORT: '0',
      SANDBOX_RPC_PORT: '0',
      OTEL_BSP_SCHEDULE_DELAY: '20',
      DATABASE_URL: `sqlite:${temporaryFolder(t)}/keys.db`,
    });
    t.after(() => server.stop());
    const { status, stdout } = await runCommand(ask.replace('http://127.0.0.1:3000', server.url));
    assert.equal(status, 0);
    assert.match(stdout, /"status":"transfer tx created successfully"/);
    const request = await collector.until((spans) => spans.find(({ kind }) => kind === 'SERVER'));
    const [, traceId, parentId] = /traceparent: 00-(\w+)-(\w+)-01/.exec(ask) ?? [];
    assert.deepEqual([request.traceId, request.parentSpanId], [traceId, parentId]);
  });

  it('has every variable, as the code has it', () => {
    for (const variable of traceVariables) {
      const fallback = 'default' in variable ? variable.default : `none: ${variable.none}`;
      const row = `| \`${variable.name}\` | ${fallback} | ${variable.meaning} |`;
      assert.ok(document.includes(row), row);
    }
  });
});
