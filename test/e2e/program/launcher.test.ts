import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, it } from 'node:test';
import { repository, runCommand } from '../../setup/process.ts';

const oldestMajor = 24;

/** A Node of the machine that is too old for the service, if there is one. */
const oldNode = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .map((folder) => join(folder, 'node'))
  .find((node) => majorOf(node) < oldestMajor);

describe('the Node that the service runs on', () => {
  it('is named in one sentence where it is too old', {
    skip: oldNode === undefined && 'no old Node here',
  }, async () => {
    for (const command of ['serve', 'keys list', 'config']) {
      const { status, stdout, stderr } = await runCommand(`'${oldNode}' packages/server/bin/splwright.js ${command}`);
      assert.deepEqual([status, stdout], [1, '']);
      assert.match(stderr, /^splwright needs Node 24 or later, and this is \d+\.\d+\.\d+: [^\n]+\n$/);
    }
  });
});

describe('the command', () => {
  it('keeps compiled code next to the package, for the next start', async () => {
    const { status } = await runCommand('node packages/server/bin/splwright.js --version', { NODE_COMPILE_CACHE: '' });
    assert.equal(status, 0);
    assert.ok(existsSync(join(repository, 'packages/server/.compile-cache')));
  });
});

describe('the garbage collector', () => {
  it('is told not to pretenure before anything of the service is loaded', async () => {
    const told = "import v8 from 'node:v8'; v8.setFlagsFromString = (flag) => console.error(flag);";
    const script = `data:text/javascript,${encodeURIComponent(told)}`;
    const { status, stdout, stderr } = await runCommand(
      `node --import '${script.replaceAll("'", '%27')}' packages/server/bin/splwright.js --version`,
    );
    assert.deepEqual([status, stderr], [0, '--no-allocation-site-pretenuring\n']);
    assert.match(stdout, /^\d/);
  });
});

function majorOf(node: string): number {
  try {
    return Number.parseInt(execFileSync(node, ['--version'], { encoding: 'utf8' }).slice(1), 10);
  } catch {
    // Not a Node.
    return Number.POSITIVE_INFINITY;
  }
}
