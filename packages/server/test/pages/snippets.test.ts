import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { assertInstalled } from '../../../../test/setup/not-installed.ts';
import { type Language, snippet, snippetLanguages } from './snippet-module.ts';

// What ends, escapes or interpolates in some language, and what nobody can see.
const nasty = ['"', "'", '`', '\\', '$', '#', '"""', "'''", '"""#', '\\#(x)', '\\(x)', '$HOME', '$(id)', '`id`', '%41']
  .concat([
    '\nJSON\n',
    'JSON',
    '\r',
    '\n',
    '\t',
    '\0',
    '\u0085',
    '\u00a0',
    '\u2028',
    '\u202e',
    '\ufeff',
    '\\u0041',
    '\\',
  ])
  .concat([
    '\ud800',
    '\udc00',
    '😀',
    '\u{e0041}',
    '\u{10ffff}',
    '\x7f',
    '*/',
    '//',
    '{',
    '},',
    '": "',
    '__proto__',
    'é',
  ]);
const text = fc.string({ unit: fc.oneof(fc.constantFrom(...nasty), fc.string({ unit: 'binary', maxLength: 3 })) });
const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('memo', 'to_address', 'a b', '"'), tie('value')),
  ),
})).value;
const body = fc.dictionary(fc.constantFrom('memo', 'yid', 'references', 'transfers', '__proto__', '"'), value);

const requestWith = (sent: object) => ({
  method: 'POST' as const,
  path: '/v1/transfers',
  body: sent,
  origin: 'https://transfers.example',
  hasKey: true,
});

/** The literal that holds the body, by its delimiters, and what is around it. */
function cut(program: string, open: string, close: string): { literal: string; around: string } {
  const from = program.indexOf(open) + open.length;
  const to = program.indexOf(close, from);
  assert.ok(from >= open.length && to >= from, program);
  return { literal: program.slice(from, to), around: program.slice(0, from) + program.slice(to) };
}

/** Where a language has the body, and what would mean something in such a literal. */
const rawLiterals: Readonly<Partial<Record<Language, { open: string; close: string; active: RegExp }>>> = {
  curl: { open: "<<'JSON'\n", close: '\nJSON\n', active: /^JSON$/m },
  go: { open: 'const body = `', close: '`', active: /[`\r\ufeff]/ },
  swift: { open: 'Data(#"""\n', close: '\n"""#', active: /\\#|"""#/ },
  kotlin: { open: 'val body = """\n', close: '\n"""', active: /\$|"""/ },
  dart: { open: "body: r'''\n", close: "\n'''", active: /'''/ },
};

describe('a snippet', () => {
  for (const [language, { open, close, active }] of Object.entries(rawLiterals) as [
    Language,
    (typeof rawLiterals)['go'] & {},
  ][]) {
    it(`of ${language} has the body in a literal that no text of it can leave`, () => {
      const empty = cut(snippet(language, requestWith({})), open, close).around;
      fc.assert(
        fc.property(body, (sent) => {
          const { literal, around } = cut(snippet(language, requestWith(sent)), open, close);
          assert.equal(around, empty);
          assert.doesNotMatch(literal, active);
          assert.equal(JSON.stringify(JSON.parse(literal)), JSON.stringify(sent));
        }),
        { numRuns: 500 },
      );
    });
  }

  it('of TypeScript has the body as a value of the language', () => {
    fc.assert(
      fc.property(body, ({ encoding: _, ...sent }) => {
        const program = snippet('typescript', requestWith(sent));
        const { literal } = cut(program, 'client.buildTransfer(', ');\nconsole.log(reply);\n');
        assert.equal(runInNewContext(`JSON.stringify(${literal})`), JSON.stringify(sent));
      }),
      { numRuns: 500 },
    );
  });

  it('of Python has the body as a value of the language, as Python says', () => {
    assertInstalled('python3', 'python3');
    const sent = fc.sample(body, 300);
    const programs = sent.map((each) => snippet('python', requestWith(each)));
    // Reads each program as Python, and evaluates the literal in it.
    const reader = `import ast, json, sys
for program in json.load(sys.stdin):
    value = next(node.value for node in ast.parse(program).body if isinstance(node, ast.Assign))
    print(json.dumps(ast.literal_eval(value)))`;
    const { stdout, stderr } = spawnSync('python3', ['-c', reader], {
      input: JSON.stringify(programs),
      encoding: 'utf8',
    });
    assert.equal(stderr, '');
    const read = stdout.trim().split('\n');
    assert.equal(read.length, sent.length);
    for (const [index, each] of sent.entries()) {
      assert.equal(JSON.stringify(JSON.parse(read[index] ?? '')), JSON.stringify(each), programs[index]);
    }
  });

  it('of curl gives curl the body, as a shell says', () => {
    const sent = fc.sample(body, 300);
    const commands = sent.map((each) => snippet('curl', requestWith(each)));
    const script = `curl() { printf '%s|' "$@"; printf '\\0'; cat; printf '\\0'; }\n${commands.join('')}`;
    const environment = { PATH: process.env.PATH ?? '', SPLWRIGHT_API_KEY: 'swk_$key' };
    const { stdout, stderr } = spawnSync('bash', { input: script, encoding: 'utf8', env: environment });
    assert.equal(stderr, '');
    const parts = stdout.split('\0');
    assert.equal(parts.length, 2 * sent.length + 1);
    for (const [index, each] of sent.entries()) {
      const argumentsOf = parts[2 * index] ?? '';
      assert.ok(
        argumentsOf.includes('|https://transfers.example/v1/transfers|--header|Authorization: Bearer swk_$key|'),
      );
      assert.equal(JSON.stringify(JSON.parse(parts[2 * index + 1] ?? '')), JSON.stringify(each), commands[index]);
    }
  });

  it('shows everything that it holds: no character in it hides or reorders others', () => {
    fc.assert(
      fc.property(body, text, fc.constantFrom(...snippetLanguages), (sent, path, { id }) => {
        const program = snippet(id, { ...requestWith(sent), path: `/v1/${path}` });
        assert.doesNotMatch(program.replaceAll(/[\n\t]/g, ''), /[\p{C}\p{Zl}\p{Zp}\u00a0\u3000]/u);
      }),
      { numRuns: 500 },
    );
  });

  it('has a URL that no path can leave', () => {
    fc.assert(
      fc.property(text, fc.constantFrom(...snippetLanguages), (path, { id }) => {
        const program = snippet(id, { method: 'GET', path: `/v1/${path}`, origin: 'https://x.example', hasKey: false });
        const url = /(["'])(https:\/\/x\.example\/v1\/[^"']*)\1/.exec(program)?.[2] ?? '';
        assert.match(url, /^[\w\-.~:/?&=%[\]]+$/, program);
      }),
    );
  });

  it('never holds an API key: it reads it from the environment, where the request needs one', () => {
    for (const { id } of snippetLanguages) {
      const request = requestWith({ memo: 'x' });
      assert.match(snippet(id, request), /SPLWRIGHT_API_KEY/);
      assert.doesNotMatch(snippet(id, { ...request, hasKey: false }), /SPLWRIGHT_API_KEY|Bearer/);
    }
  });
});
