import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { assertInstalled } from '../setup/not-installed.ts';
import { repository } from '../setup/process.ts';

const unit = join(repository, 'deploy/systemd/splwright.service');

describe('the systemd unit', () => {
  it('is one that systemd accepts', () => {
    const { status, stderr } = analyze('verify', unit);
    assert.equal(stderr, '');
    assert.equal(status, 0);
  });

  it('leaves the service few rights: at most 1.5 of 10', () => {
    const { status, stdout } = analyze('security', '--offline=yes', '--threshold=15', unit);
    assert.equal(status, 0, stdout.split('\n').slice(-3).join('\n'));
  });
});

function analyze(...values: string[]): { status: number | null; stdout: string; stderr: string } {
  assertInstalled('systemd-analyze', 'systemd');
  const { status, stdout, stderr } = spawnSync('systemd-analyze', values, { encoding: 'utf8' });
  return { status, stdout, stderr };
}
