import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readApiDocument } from '../../../../test/setup/api-document.ts';
import { referencePage } from '../../src/pages/reference-page.ts';

describe('the page of the API reference', () => {
  it('has the key of the sandbox to try requests with, and none elsewhere', () => {
    assert.match(referencePage('swk_of_the_sandbox'), /swk_of_the_sandbox/);
    assert.doesNotMatch(referencePage(undefined), /token/);
  });

  it('has short titles, and leaves out what only the pages of links load', async () => {
    const document: { paths: Record<string, Record<string, { summary: string }>> } = JSON.parse(
      JSON.stringify(await readApiDocument()),
    );
    const operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.values(item).map((operation) => ({ path, ...operation })),
    );
    for (const { summary } of operations) assert.ok(summary.split(' ').length <= 3, summary);
    assert.equal(new Set(operations.map(({ summary }) => summary)).size, operations.length);
    assert.deepEqual(
      operations.filter(({ path }) => /^.pay/.test(path)).map(({ path }) => path),
      ['/pay/{id}', '/pay/{id}'],
    );
  });
});
