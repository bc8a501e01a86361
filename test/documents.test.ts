import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { configurationDocument, envExample } from '../docs/variable-documents.ts';
import { statusTexts } from '../packages/server/src/transfers/reply-schema.ts';
import { batchBody, tokenTransferBody, transferBody } from '../packages/server/src/transfers/transfer-schema.ts';
import { eventTypeNames } from '../packages/server/src/webhooks/event-types.ts';
import { repository } from './setup/process.ts';

const read = (path: string): string => readFileSync(join(repository, path), 'utf8');
const folder = readdirSync(join(repository, 'docs'), { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.md'),
);
const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  ...folder.map((name) => `docs/${name}`),
];

/** The part of a link that GitHub makes of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

const anchorsOf = (path: string): string[] =>
  [...read(path).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));

describe('the documents', () => {
  it('are all in their index', () => {
    for (const name of folder.filter((each) => each !== 'README.md')) {
      const own = `docs/${dirname(name)}/README.md`;
      const isInFolder = basename(name) !== 'README.md' && existsSync(join(repository, own));
      const [index, link] = isInFolder ? [own, basename(name)] : ['docs/README.md', name];
      assert.ok(read(index).includes(`(${link})`), name);
    }
  });

  for (const path of documents) {
    it(`have only links that lead somewhere: ${path}`, () => {
      for (const [, link = ''] of read(path).matchAll(/\]\(([^)]+)\)/g)) {
        if (/^https?:/.test(link)) continue;
        const [file = '', anchor] = link.split('#');
        const target = file === '' ? path : join(dirname(path), file);
        assert.ok(existsSync(join(repository, target)), link);
        if (anchor !== undefined) assert.ok(anchorsOf(target).includes(anchor), link);
      }
    });

    it(`are in plain American English: ${path}`, () => {
      // Names of the API, which are in backticks, are what they are.
      const prose = read(path).replaceAll(/`[^`\n]*`/g, '');
      const found = prose.match(
        /\b(?:anew|beside|by turns|mends?|nobody|whoever|just so|lets go|misspelt|cancelled|behaviour|colour|neighbours?|centre|judgement|licence)\b/gi,
      );
      assert.deepEqual(found, null);
    });
  }

  it('write canceled with one l, as the comments and sentences of the code do: names keep both', () => {
    const proseOf = (line: string): string[] => [
      ...(/\/\/.*|^\s*\/?\*.*/.exec(line)?.[0].replaceAll(/`\w+`/g, '') ?? '').split('\n'),
      ...(line.match(/'[^']*'|"[^"]*"|`[^`]*`/g) ?? []).filter((text) => text.includes(' ')),
    ];
    const found = ['packages', 'examples'].flatMap((name) =>
      readdirSync(join(repository, name), { recursive: true, encoding: 'utf8' })
        .map((each) => join(name, each))
        .filter((path) => /^(?:packages\/\w+\/src|examples)\/.*\.(?:ts|js|css)$/.test(path))
        .flatMap((path) => read(path).split('\n').flatMap(proseOf))
        .filter((text) => /\bcancelled\b/i.test(text)),
    );
    // The status of a reply is compared by programs, as `cancelled_at` and the state are.
    assert.deepEqual(found, ["'payment link cancelled successfully'"]);
  });

  it('have each decision once, in at most 12 lines with its date, and at most 250 lines a file', () => {
    const paths = documents.filter((path) => /^docs\/decisions\/(?!README)/.test(path));
    const headings = paths.flatMap(anchorsOf);
    assert.equal(new Set(headings).size, headings.length);
    for (const path of paths) {
      const text = read(path);
      assert.ok(text.split('\n').length <= 251, path);
      for (const record of text.split(/^## /m).slice(1)) {
        assert.match(record, /^.+\n\n\d{4}-\d{2}-\d{2}\. /, path);
        assert.ok(record.trim().split('\n').length <= 12, record);
      }
    }
  });

  it('tell no one to install a package of ours from a registry, where it is not', () => {
    for (const path of [
      ...documents,
      ...['client', 'core', 'sandbox', 'server'].map((name) => `packages/${name}/README.md`),
    ]) {
      assert.doesNotMatch(read(path), /\bnpx (?:-\S+ )*splwright|\bnpm (?:i|install) (?:-\S+ )*splwright/, path);
    }
  });

  it('name every npm script', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const text = read('README.md') + read('CONTRIBUTING.md');
    for (const name of Object.keys(scripts).filter((each) => !/^(?:pre|post)/.test(each))) {
      assert.match(text, new RegExp(`npm (?:run )?(?:--silent )?${name}\\b`), name);
    }
  });

  it('name every field of a transfer', () => {
    const api = read('docs/api.md');
    const bodies = [tokenTransferBody, transferBody, batchBody];
    for (const name of bodies.flatMap(({ properties }) => Object.keys(properties))) {
      assert.ok(api.includes(`\`${name}\``), name);
    }
  });

  it('name what the older operations answer', () => {
    const guide = read('docs/migrate.md');
    for (const text of [statusTexts.memo_transfer, statusTexts.yid_transfer, statusTexts.create_transfer])
      assert.ok(guide.includes(`"status":"${text}"`), text);
  });

  it('name every type of event', () => {
    const guide = read('docs/webhooks.md');
    for (const type of eventTypeNames) assert.ok(guide.includes(`\`${type}\``), type);
  });

  it('have every variable as the code makes it', () => {
    assert.equal(read('.env.example'), envExample(), 'run: npm run docs');
    assert.equal(read('docs/configuration.md'), configurationDocument(), 'run: npm run docs');
  });
});
