import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { littleMemory } from '../../bench/service/services.ts';
import { repository } from '../setup/process.ts';

const settings = Object.entries(littleMemory).map(([name, value]) => `${name}=${value}`);

it('The settings for little memory are the same in the image, in the systemd unit, in the document and in the benchmark', () => {
  assert.equal(settings.length, 3);
  const line = settings.join(' ');
  assert.match(textOf('Dockerfile'), new RegExp(`^ENV ${line}$`, 'm'));
  assert.match(textOf('deploy/systemd/splwright.service'), new RegExp(`^Environment=${line}$`, 'm'));
  for (const setting of settings) assert.ok(textOf('docs/operate/capacity.md').includes(setting), setting);
});

function textOf(path: string): string {
  return readFileSync(join(repository, path), 'utf8');
}
