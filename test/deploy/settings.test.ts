import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { littleMemory } from '../../bench/service/services.ts';
import { variables } from '../../packages/server/src/config/variables.ts';
import { repository } from '../setup/process.ts';

const settings = Object.entries(littleMemory).map(([name, value]) => `${name}=${value}`);

it('The settings for little memory are the same in the image, in the systemd unit, in the document and in the benchmark', () => {
  assert.equal(settings.length, 2);
  const line = settings.join(' ');
  assert.match(textOf('Dockerfile'), new RegExp(`^ENV ${line}$`, 'm'));
  assert.match(textOf('deploy/systemd/splwright.service'), new RegExp(`^Environment=${line}$`, 'm'));
  for (const setting of settings) assert.ok(textOf('docs/operate/capacity.md').includes(setting), setting);
});

it('A stop and the proxy in front leave a batch the time that it may take: twice the deadline of a request', () => {
  const batchMs = 2 * defaultOf('REQUEST_DEADLINE_MS');
  const stopSeconds = /^TimeoutStopSec=(\d+)$/m.exec(textOf('deploy/systemd/splwright.service'))?.[1];
  assert.ok(Number(stopSeconds) * 1_000 > defaultOf('DRAIN_MS') + batchMs);
  // Its reply is stored within two seconds more.
  const serverSeconds = /^ {2}timeout server (\d+)s$/m.exec(textOf('deploy/haproxy/haproxy.cfg'))?.[1];
  assert.ok(Number(serverSeconds) * 1_000 > batchMs + 2_000);
});

function defaultOf(name: string): number {
  const variable = variables.find((each) => each.name === name);
  return Number(variable && 'default' in variable ? variable.default : undefined);
}

function textOf(path: string): string {
  return readFileSync(join(repository, path), 'utf8');
}
