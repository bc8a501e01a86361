import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { configurationDocument, envExample } from '../docs/variable-documents.ts';
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

  it('have an example of every variable, as the code makes it', () => {
    assert.equal(read('.env.example'), envExample(), 'run: npm run docs');
    assert.equal(read('docs/configuration.md'), configurationDocument(), 'run: npm run docs');
  });
});

const sourceFolders = ['src', 'packages'].map((name) => join(repository, name)).filter(existsSync);
const sources = sourceFolders.flatMap((parent) =>
  readdirSync(parent, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.includes('node_modules'))
    .map((path) => join(parent, path)),
);

/** The numeric value of a constant, read from the text of the file with this name. */
function constantOf(file: string, name: string): number {
  const paths = sources.filter((path) => basename(path) === file);
  for (const path of paths) {
    const value = new RegExp(`\\bconst ${name} = ([0-9_* ]+);`).exec(readFileSync(path, 'utf8'))?.[1];
    if (value !== undefined)
      return value.split('*').reduce((product, factor) => product * Number(factor.replaceAll('_', '')), 1);
  }
  throw new Error(`${file} has no constant ${name}: which one does the sentence come from now?`);
}

const inWords = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
const grouped = (value: number): string => value.toLocaleString('en-US');

/** What a document says of a constant. */
const sentences: readonly [document: string, file: string, constant: string, sentence: (value: number) => string][] = [
  ['upstreams', 'upstream-connection.ts', 'windowSize', (calls) => `the 95th percentile of its last ${calls} calls`],
  ['upstreams', 'upstream.ts', 'maxFailures', (count) => `fails ${inWords[count]} times in a row`],
  ['upstreams', 'upstream.ts', 'foreignPauseMs', (ms) => `checked again every ${ms / 1000} s`],
  ['upstreams', 'node-errors.ts', 'maxRestMs', (ms) => `its \`Retry-After\`, up to ${ms / 1000} s`],
  ['upstreams', 'chain-head.ts', 'memoryMs', (ms) => `is accepted after ${ms / 1000} seconds`],
  [
    'upstreams',
    'chain-head.ts',
    'standstillMs',
    (ms) => `**When the newest slot stands still** for ${ms / 1000} seconds`,
  ],
  [
    'decisions/chain',
    'retry-rule.ts',
    'unknownRetrySeconds',
    (seconds) => `a retry is asked for in ${seconds} seconds`,
  ],
  ['decisions/chain', 'chain-head.ts', 'standstillMs', (ms) => `After ${inWords[ms / 1000]} seconds on the same`],
  ['upstreams', 'account-batcher.ts', 'maxAddresses', (count) => `read up to ${count} accounts in one call`],
  ['upstreams', 'chain-requests.ts', 'maxSliceBytes', (bytes) => `at most ${bytes / 1024} KiB of each account`],
  ['upstreams', 'chain-requests.ts', 'maxLongSliceBytes', (bytes) => `is read again, up to ${bytes / 1024} KiB`],
  ['errors', 'chain-requests.ts', 'maxLongSliceBytes', (bytes) => `No mint in use holds more than ${bytes / 1024} KiB`],
  ['upstreams', 'blockhash-source.ts', 'minAgeMs', (ms) => `Values below ${ms} are treated as ${ms}`],
  ['upstreams', 'public-routes.ts', 'readinessHoldMs', (ms) => `at most ${inWords[1000 / ms]} times a second`],
  ['upstreams', 'start-metrics.ts', 'usualPort', (port) => `http://127.0.0.1:${port}/metrics`],
  ['api', 'recent-prices.ts', 'memoryMs', (ms) => `1 for a level, cached for ${ms / 1000} s`],
  ['api', 'read-values.ts', 'maxReferences', (count) => `Up to ${count} addresses`],
  [
    'api',
    'compute-budget.ts',
    'guardHeadroom',
    (units) => `${grouped(units)} units for three guard instructions that wallets insert`,
  ],
  ['api', 'compute-budget.ts', 'programHeadroom', (units) => `and ${grouped(units)} for newer programs`],
  ['api', 'compute-budget.ts', 'hookHeadroom', (units) => `(${grouped(units)} more if a transfer hook runs)`],
  ['errors', 'compute-budget.ts', 'maxComputeUnits', (units) => `a transaction may spend ${grouped(units)}`],
  ['keys', 'keys-limits.ts', 'maxAllowed', (count) => `Separate several values with commas, at most ${count}`],
  ['keys', 'retention.ts', 'dailyAmountDays', (days) => `Sums are kept for ${days} days`],
  ['keys', 'sql-idempotency.ts', 'rowsPerPrune', (rows) => `up to ${rows} at a time with pauses`],
  ['keys', 'usage-recorder.ts', 'saveEveryMs', (ms) => `to the database every ${ms / 1000} seconds`],
  ['keys', 'authenticator.ts', 'maxAgeMs', (ms) => `and within ${ms / 1000} seconds in any case`],
  ['keys', 'sqlite-connection.ts', 'pollIntervalMs', (ms) => `checks ${inWords[1000 / ms]} times a second`],
  ['keys', 'open-postgres.ts', 'maxConnections', (count) => `${inWords[count]} for queries and one that listens`],
  ['keys', 'unknown-key-limit.ts', 'maxLookupsPerNetwork', (count) => `${count} per minute for one client address`],
  ['keys', 'unknown-key-limit.ts', 'maxLookups', (count) => `${count} per minute in total`],
  ['keys', 'active-key-list.ts', 'maxListedKeys', (count) => `With more than ${grouped(count)} active keys`],
  ['keys', 'active-key-list.ts', 'maxAgeMs', (ms) => `reads at most ${inWords[1000 / ms]} times a second`],
  ['limits', 'worker-pool.ts', 'maxPauseMs', (ms) => `growing pauses of up to ${ms / 1000} seconds`],
  ['operation', 'serve-workers.ts', 'stopGraceMs', (ms) => `not ended ${ms / 1000} seconds after drain`],
  ['operate/capacity', 'open-postgres.ts', 'maxConnections', (count) => `${inWords[count]} for queries and one that`],
  ['operate/capacity', 'rpc-transport.ts', 'maxConnections', (count) => `up to ${count} to each Solana node`],
  ['operate/capacity', 'account-batcher.ts', 'maxAddresses', (count) => `up to ${count} accounts in each`],
  ['operate/capacity', 'link-watch.ts', 'idleAgeMs', (ms) => `asked about every ${ms / 1000} seconds`],
  ['operate/capacity', 'link-watch.ts', 'payerAgeMs', (ms) => `every ${ms / 1000} seconds while a payment is likely`],
  [
    'operate/capacity',
    'public-routes.ts',
    'readinessHoldMs',
    (ms) => `up to ${inWords[1000 / ms]} a second to each node`,
  ],
  ['decisions/core', 'known-addresses.ts', 'maxKnown', (rows) => `one flat table of ${grouped(rows)} rows`],
  ['decisions/keys', 'key-lookups.ts', 'maxBatchKeys', (keys) => `One lookup at a time takes up to ${keys} keys`],
  ['decisions/batches', 'rpc-transport.ts', 'maxConnections', (count) => `hold all ${count} connections`],
  ['decisions/chain', 'upstream.ts', 'probeRepeatMs', (ms) => `a probe is sent again every ${ms} ms`],
  ['decisions/chain', 'chain-head.ts', 'maxLeadSlots', (slots) => `Two clusters within ${slots} slots of each other`],
  ['decisions/http', 'build-app.ts', 'maxWaitingBytes', (bytes) => `Past ${bytes / 1e6} MB over all connections`],
  ['decisions/http', 'build-app.ts', 'maxReadingMs', (ms) => `A reply must be read within ${ms / 1000} seconds`],
  [
    'decisions/command-line-and-start',
    'worker-pool.ts',
    'longLifeMs',
    (ms) => `A worker that lived ${ms / 1000} s resets the pause`,
  ],
];

describe('a number in a document', () => {
  for (const [document, file, constant, sentence] of sentences) {
    it(`is that of the code: ${document}, ${constant} of ${file}`, () => {
      const text = read(`docs/${document}.md`).replaceAll(/\s+/g, ' ');
      const expected = sentence(constantOf(file, constant));
      assert.ok(text.includes(expected), `docs/${document}.md should say: ${expected}`);
    });
  }

  it('is no time that a cluster decides: how long slots, blockhashes and finality take', () => {
    const chainTime =
      /about (?:a|half a) minute|\b(?:13|15|32|67|133) seconds|seconds (?:on mainnet|at slots)|32 slots|400 ms/;
    const texts = readdirSync(`${repository}docs`, { recursive: true, encoding: 'utf8' })
      // A decision says why it was made. The report of faults says what was measured, and the sandbox has slots of its own.
      .filter((path) => path.endsWith('.md') && !/^decisions|^reliability/.test(path))
      .map((path) => [path, readFileSync(join(repository, 'docs', path), 'utf8')] as const);
    for (const [path, text] of [...texts, ['README.md', read('README.md')] as const]) {
      assert.doesNotMatch(text.replaceAll(/\s+/g, ' '), chainTime, path);
    }
  });

  it('is that of the code: the rows of the table of memo costs', () => {
    const table = sources.find((path) => basename(path) === 'memo-cost-table.ts') ?? '';
    const rows = readFileSync(table, 'utf8').match(/\[0x/g)?.length;
    assert.ok(read('docs/decisions/core.md').includes(`Cost: ${rows} rows`), `${rows}`);
  });
});
