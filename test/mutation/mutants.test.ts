import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import ts from 'typescript';
import { repository } from '../setup/process.ts';
import { explained, outdatedExplanations } from './explained.ts';
import { type Mutant, mutantsOf } from './mutants.ts';

const source = `
interface Ignored { flag: true }
export function sample(limit: number, values: readonly number[]): number {
  if (limit < 10 && values.length > 0) return 0;
  remember(values);
  return Math.max(limit + 1, 2);
}
`;

function mutated({ start, end, replacement }: Mutant): string {
  return source.slice(0, start) + replacement + source.slice(end);
}

test('every operator finds its place, and types are left alone', () => {
  const found = mutantsOf('sample.ts', source).map(({ operator, line, original, replacement }) =>
    [line, operator, original, replacement].join(' | '),
  );
  for (const expected of [
    '3 | return early |  |  return;',
    '4 | delete statement | if (limit < 10 && values.length > 0) return 0; | ;',
    '4 | negate condition | limit < 10 && values.length > 0 | !(limit < 10 && values.length > 0)',
    '4 | shift boundary | < | <=',
    '4 | swap logic | && | ||',
    '4 | change constant | 10 | 11',
    '5 | delete statement | remember(values); | ;',
    '6 | drop call | Math.max(limit + 1, 2) | Math',
    '6 | swap arithmetic | + | -',
  ]) {
    assert.ok(found.includes(expected), `${expected}\nis not among\n${found.join('\n')}`);
  }
  assert.ok(found.every((line) => !line.startsWith('2 ')));
});

test('every mutant is a program that parses and differs from the source', () => {
  for (const mutant of mutantsOf('sample.ts', source)) {
    const text = mutated(mutant);
    assert.notEqual(text, source);
    const { diagnostics } = ts.transpileModule(text, { reportDiagnostics: true });
    assert.deepEqual(diagnostics, [], text);
  }
});

test('a return of nothing at the end of a function stays: without it the function does the same', () => {
  const deleted = (text: string) =>
    mutantsOf('sample.ts', text)
      .filter(({ operator }) => operator === 'delete statement')
      .map(({ original }) => original);
  assert.deepEqual(deleted('function find() { note(); return undefined; }'), ['note();']);
  assert.deepEqual(deleted('function find() { note(); return; }'), ['note();']);
  assert.deepEqual(deleted('function find() { return 0; }'), ['return 0;']);
  assert.deepEqual(deleted('function find() { if (a) { return undefined; } return 0; }'), [
    'if (a) { return undefined; }',
    'return undefined;',
    'return 0;',
  ]);
});

test('every explanation names a file, a line of it and a mutant of that line', () => {
  const outdated = [...new Set(explained.map(({ path }) => path))].flatMap((path) => {
    if (!existsSync(join(repository, path))) return [`${path} does not exist`];
    const text = readFileSync(join(repository, path), 'utf8');
    return outdatedExplanations(path, text, mutantsOf(path, text)).map(
      ({ operator, line }) => `${path}: no mutant "${operator}" of: ${line}`,
    );
  });
  assert.deepEqual(outdated, []);
});
