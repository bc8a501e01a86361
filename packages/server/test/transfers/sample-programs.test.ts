import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { samplePrograms } from '../../src/transfers/sample-programs.ts';

describe('sample programs', () => {
  it('hold the request whatever a memo has, in a text that Python reads as it stands', () => {
    const body = JSON.stringify({ memo: `it's """ and \\ and \\""" and 'x'`, yid: '', n: '"' });
    const [, python] = samplePrograms('/v1/transfers', body);
    const [, literal] = /^body = r"""([\s\S]*?)"""$/m.exec(python?.source ?? '') ?? [];
    assert.equal(literal, body);
  });
});
