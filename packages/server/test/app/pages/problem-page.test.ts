import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isProblemCode, problemIndexPage, problemPage, refusalPage } from '../../../src/app/pages/problem-page.ts';
import { problems } from '../../../src/problems.ts';
import { pageWeight } from '../../pages/loaded-assets.ts';

const codes = Object.keys(problems).filter(isProblemCode);
const withPages = { hasPages: true };

/** The example of a page, as a client reads it. */
function exampleIn(page: string): Record<string, unknown> {
  const [, text = ''] = /<pre tabindex="0"><code>([\s\S]*?)<\/code><\/pre>/.exec(page) ?? [];
  const entities: Readonly<Record<string, string>> = { quot: '"', lt: '<', gt: '>', amp: '&', '#39': "'" };
  return JSON.parse(text.replaceAll(/&(\w+|#39);/g, (_whole, name: string) => entities[name] ?? '?'));
}

describe('the page of a problem', () => {
  it('has a reply as an example, in which the code is where a client finds it', () => {
    for (const code of codes) {
      const { code: ofReply, type, status, errors = [] } = exampleIn(problemPage(code, withPages));
      const found = [ofReply, ...[errors].flat().map((each) => Object(each).code)];
      assert.ok(found.includes(code), code);
      assert.deepEqual([type, status], [`/problems/${ofReply}`, problems[code].status], code);
    }
  });

  it('leads to the reference, where there is one, and to all other problems', () => {
    const links = (page: string): string[] => [...page.matchAll(/href="(\/[^"]*)"/g)].map(([, path = '']) => path);
    const here = links(problemPage('invalid_memo', withPages));
    assert.ok(here.includes('/docs') && here.includes('/problems/'));
    const without = links(problemPage('invalid_memo', { hasPages: false }));
    assert.ok(without.includes('/openapi.json') && !without.includes('/docs'));
  });
});

describe('the page of all problems', () => {
  it('names each once, with its title and a link to its page', () => {
    const page = problemIndexPage(withPages);
    const linked = [...page.matchAll(/href="\/problems\/(\w+)"/g)].map(([, code = '']) => code);
    assert.deepEqual(linked.toSorted(), codes.toSorted());
  });
});

describe('the page of a refusal', () => {
  it('says where to go, and keeps what it repeats as text', () => {
    const page = refusalPage('route_not_found', 'There is nothing at /<script>.', withPages);
    assert.match(page, /There is nothing at \/&lt;script&gt;\./);
    for (const path of ['/', '/docs', '/openapi.json', '/problems/'])
      assert.ok(page.includes(`<li><a href="${path}">`));
    assert.doesNotMatch(refusalPage('route_not_found', '', { hasPages: false }), /docs|console/);
  });
});

describe('every page about problems', () => {
  it('weighs less than 16 kB compressed with everything that it loads', () => {
    const pages = [...codes.map((code) => problemPage(code, withPages)), problemIndexPage(withPages)];
    for (const page of pages) assert.ok(pageWeight(page) < 16_000, `${pageWeight(page)} bytes`);
  });
});
