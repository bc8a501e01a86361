import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { methodNames } from '../../src/rpc/rpc-dispatch.ts';
import { differencesTable } from './differences.ts';

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

describe("the sandbox's README", () => {
  it('has the table of differences from a node', () => {
    assert.ok(readme.includes(differencesTable()), differencesTable());
  });

  it('names every method that is answered, and no other', () => {
    const section = /## What it answers\n([\s\S]*?)\nWhat differs:/.exec(readme)?.[1] ?? '';
    const named = [...section.matchAll(/`(\w+)`/g)].map((match) => match[1] ?? '');
    const methods = named.filter((name) => /^(?:get|is|send|simulate|request|minimum)[A-Z]/.test(name));
    assert.deepEqual(methods.sort(), [...methodNames].sort());
  });
});
