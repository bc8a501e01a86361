import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { littleMemory } from '../../bench/service/services.ts';
import { repository, runCommand } from '../setup/process.ts';

const settings = Object.entries(littleMemory).map(([name, value]) => `${name}=${value}`);

describe('the settings for little memory', () => {
  it('are the same in the image, in the systemd unit, in its document and in the benchmark', () => {
    assert.equal(settings.length, 3);
    const line = settings.join(' ');
    assert.match(textOf('Dockerfile'), new RegExp(`^ENV ${line}$`, 'm'));
    assert.match(textOf('deploy/systemd/splwright.service'), new RegExp(`^Environment=${line}$`, 'm'));
    for (const setting of settings) assert.ok(textOf('docs/operate/capacity.md').includes(setting), setting);
  });

  it('reach the service by npm start, next to the options of Node that its environment has', async () => {
    const { start } = JSON.parse(textOf('package.json')).scripts;
    assert.match(start, / serve$/);
    const names = Object.keys(littleMemory);
    const show = `console.log(${names.map((name) => `process.env.${name}`).join(', ')})`;
    const own = `--import=data:text/javascript,${encodeURIComponent(show)}`;
    const { status, stdout } = await runCommand(start.replace(/serve$/, 'help'), { NODE_OPTIONS: own });
    assert.equal(status, 0);
    const said = Object.values({ ...littleMemory, NODE_OPTIONS: `${littleMemory.NODE_OPTIONS} ${own}` });
    assert.equal(stdout.split('\n')[0], said.join(' '));
  });
});

function textOf(path: string): string {
  return readFileSync(join(repository, path), 'utf8');
}
