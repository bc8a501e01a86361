import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { problems } from '../../src/errors.ts';
import { operationsOf, referencePage } from '../../src/pages/reference-page.ts';
import { membersOf, valueAt } from '../../src/pages/reference-schemas.ts';
import { openApiDocument } from '../../src/wire/openapi/document.ts';

const document = openApiDocument('1.2.3', true);
const page = referencePage(document);
const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);

/** What a part of the page says, without its markup. */
function partOf(id: string): string {
  const from = page.indexOf(`<section class="operation" id="${id}"`);
  assert.ok(from >= 0, id);
  return page
    .slice(from, page.indexOf('</section>', from))
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ');
}

describe('the page of the API reference', () => {
  it('has every operation of the document, with its method, path, fields and refusals', () => {
    const operations = operationsOf(document);
    assert.ok(operations.length > 15);
    for (const { id, method, path, summary, operation } of operations) {
      const text = partOf(id);
      assert.ok(text.includes(`${method} ${path}`), id);
      assert.ok(text.includes(summary.replaceAll("'", '&#39;')), id);
      const schema = String(valueAt(operation, 'requestBody', 'content', 'application/json', 'schema', '$ref'));
      const fields = valueAt(document, 'components', 'schemas', schema.split('/').at(-1) ?? '', 'properties');
      for (const [name] of membersOf(fields)) assert.match(text, new RegExp(`\\b${name}\\b`), id);
      for (const [status] of membersOf(valueAt(operation, 'responses')))
        assert.match(text, new RegExp(`\\b${status}\\b`), id);
    }
    assert.match(partOf('buildTransfer'), /from_address string required/);
    assert.match(partOf('buildTransfer'), /Needs an API key\./);
    assert.match(partOf('isReady'), /Needs no API key\./);
    assert.match(partOf('buildBatch'), /transfers array of BatchTransfer required[\s\S]*1 to 1000 items/);
  });

  it('leads from every refusal to the page of its code', () => {
    const codesOf = (id: string): string[] => {
      const from = page.indexOf(`id="${id}-refusals"`);
      const part = page.slice(from, page.indexOf('</section>', from));
      return [...part.matchAll(/href="\/problems\/(\w+)"/g)].map(([, code = '']) => code);
    };
    assert.ok(
      ['overloaded', 'mint_paused', 'api_key_missing'].every((code) => codesOf('buildTransfer').includes(code)),
    );
    assert.ok(codesOf('showPaymentLink').includes('payment_link_not_found'));
  });

  it('has every schema, each once', () => {
    for (const [name] of membersOf(valueAt(document, 'components', 'schemas'))) {
      assert.equal(ids.filter((id) => id === `schema-${name}`).length, 1, name);
    }
    assert.equal(new Set(ids).size, ids.length);
  });

  it('has no link that leads nowhere', () => {
    const links = [...page.matchAll(/ href="([^"]+)"/g)].map(([, link = '']) => link);
    for (const link of links.filter((each) => each.startsWith('#'))) assert.ok(ids.includes(link.slice(1)), link);
    const codes = links.flatMap((each) => /^\/problems\/(.+)$/.exec(each)?.[1] ?? []);
    assert.deepEqual(new Set(codes).difference(new Set(Object.keys(problems))), new Set());
    assert.ok(new Set(codes).size > 60);
  });

  it('has no script, no style of its own, and nothing from elsewhere', () => {
    assert.doesNotMatch(page, /<script|<style|<iframe| style=| on[a-z]+=/);
    for (const [, source] of page.matchAll(/(?:src|<link [^>]*href)="([^"]+)"/g)) assert.match(source ?? '', /^\/[^/]/);
  });

  it('shows the texts of a document as texts', () => {
    const nasty = '<img src=x onerror=alert(1)> `</code><b>`';
    const made = referencePage({
      info: { title: nasty, version: nasty, summary: nasty, description: nasty },
      tags: [{ name: 'A', description: nasty }],
      paths: {
        '/<b>': {
          post: {
            operationId: 'x',
            tags: ['A'],
            summary: nasty,
            description: nasty,
            requestBody: {
              content: {
                'application/json': { schema: { properties: { '<b>': { enum: [nasty] } } }, example: { '<b>': nasty } },
              },
            },
            responses: { 200: { description: nasty }, 400: { description: nasty } },
          },
        },
      },
    });
    assert.doesNotMatch(made, /<img src=x|<b>/);
    assert.ok(made.includes('&lt;img src=x onerror=alert(1)&gt; <code>&lt;/code&gt;&lt;b&gt;</code>'));
  });
});
