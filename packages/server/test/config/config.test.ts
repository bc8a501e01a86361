import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateApiKey } from '../../src/app/api-key.ts';
import { type Environment, misspelledVariables, variables } from '../../src/config/variables.ts';
import { bounds, type Config, parseConfig } from '../../src/config.ts';

const defaults: Config = {
  ...bounds,
  host: '127.0.0.1',
  port: 3000,
  solanaRpcUrls: [],
  proxy: undefined,
  sandboxRpcPort: 8899,
  sandboxStrictPreflight: false,
  databaseUrl: 'sqlite:.splwright/sandbox.db',
  adminKey: undefined,
  retentionDays: 0,
  blockhashMaxAgeMs: 1000,
  upstreamQuorum: 1,
  rpcTimeoutMs: 2000,
  requestDeadlineMs: 5000,
  drainMs: 3000,
  corsOrigins: ['*'],
  rateLimitPerMinute: 600,
  publicUrl: undefined,
  hasPages: true,
  hasMcp: true,
  payRateLimitPerMinute: 60,
  payIconOrigins: [],
  payBrand: { name: undefined, logo: undefined, color: undefined },
  redisUrl: undefined,
  sponsor: undefined,
  trustedProxies: 0,
  workers: 1,
  metricsPort: undefined,
  metricsHost: '127.0.0.1',
  logLevel: 'info',
};

function faultsOf(environment: Environment): readonly string[] {
  const parsed = parseConfig(environment);
  return 'faults' in parsed ? parsed.faults : [];
}

test('The configuration', async (t) => {
  await t.test('has a default for every variable, absent, empty or blank', () => {
    const names = variables.map(({ name }) => name);
    for (const value of [undefined, '', '  ']) {
      const environment = Object.fromEntries(names.map((name) => [name, value]));
      assert.deepEqual(parseConfig(environment), { config: defaults });
    }
  });

  await t.test('takes every variable, with white space around it', () => {
    const environment = {
      HOST: ' 0.0.0.0 ',
      PORT: ' 80 ',
      SOLANA_RPC_URLS: ' https://a.example/?api-key=1 , http://b.example ',
      SANDBOX_RPC_PORT: '0',
      SANDBOX_STRICT_PREFLIGHT: 'true',
      DATABASE_URL: 'sqlite::memory:',
      ADMIN_KEY: ` ${'k'.repeat(32)} `,
      RETENTION_DAYS: '3650',
      UPSTREAM_QUORUM: '2',
      REQUEST_DEADLINE_MS: '120000',
      DRAIN_MS: '0',
      CORS_ORIGINS: ' https://a.example , http://localhost:5173,*',
      METRICS_PORT: '9000',
      METRICS_HOST: ' 0.0.0.0 ',
      RATE_LIMIT_PER_MINUTE: '0',
      PUBLIC_URL: ' https://Pay.example/ ',
      PAGES: ' on ',
      MCP: 'on',
      PAY_RATE_LIMIT_PER_MINUTE: '0',
      PAY_ICON_ORIGINS: 'https://cdn.example, https://img.example:8443',
      PAY_BRAND_NAME: ' Tea house ',
      PAY_BRAND_COLOR: '#14532D',
      SPONSOR_URL: 'https://kora.example/rpc',
      SPONSOR_API_KEY: 'key-of-kora',
      REDIS_URL: 'rediss://:password@cache:6380/1',
      TRUST_PROXY: '1',
      WORKERS: 'auto',
      LOG_LEVEL: 'silent',
      https_proxy: 'user:p%40ss@proxy.example:3128',
      NO_PROXY: 'b.example,.internal',
    };
    const config: Config = {
      ...bounds,
      host: '0.0.0.0',
      port: 80,
      solanaRpcUrls: ['https://a.example/?api-key=1', 'http://b.example'],
      proxy: { url: 'http://user:p%40ss@proxy.example:3128', exceptions: 'b.example,.internal' },
      sandboxRpcPort: 0,
      sandboxStrictPreflight: true,
      databaseUrl: 'sqlite::memory:',
      adminKey: 'k'.repeat(32),
      retentionDays: 3650,
      upstreamQuorum: 2,
      rpcTimeoutMs: 48_000,
      requestDeadlineMs: 120_000,
      drainMs: 0,
      corsOrigins: ['https://a.example', 'http://localhost:5173', '*'],
      rateLimitPerMinute: 0,
      publicUrl: 'https://pay.example',
      hasPages: true,
      hasMcp: true,
      payRateLimitPerMinute: 0,
      payIconOrigins: ['https://cdn.example', 'https://img.example:8443'],
      payBrand: { name: 'Tea house', logo: undefined, color: '#14532d' },
      sponsor: { url: 'https://kora.example/rpc', apiKey: 'key-of-kora', hmacSecret: undefined },
      redisUrl: 'rediss://:password@cache:6380/1',
      trustedProxies: 1,
      workers: 'auto',
      metricsPort: 9_000,
      metricsHost: '0.0.0.0',
      logLevel: 'silent',
    };
    assert.deepEqual(parseConfig(environment), { config });
  });

  await t.test('is frozen', () => {
    const parsed = parseConfig({ SOLANA_RPC_URLS: 'http://a' });
    assert.ok('config' in parsed && Object.isFrozen(parsed.config) && Object.isFrozen(parsed.config.solanaRpcUrls));
  });

  await t.test('ignores what it does not know', () => {
    assert.deepEqual(parseConfig({ PATH: '/bin', PORTS: 'x', port: 'x' }), { config: defaults });
  });
});

test('An ADMIN_KEY that is short, holds what no header can, or is an API key is refused without its text', () => {
  for (const adminKey of ['k'.repeat(31), `${'k'.repeat(31)} k`, 'ü'.repeat(32), generateApiKey()]) {
    const [fault = '', ...others] = faultsOf({ ADMIN_KEY: adminKey });
    assert.match(fault, /^ADMIN_KEY must be at least 32 visible ASCII characters/);
    assert.ok(!fault.includes(adminKey) && others.length === 0);
  }
});

test('Pages of every origin may read a sandbox, and of none a real network, unless origins are named', () => {
  const originsWith = (environment: Environment): unknown => {
    const parsed = parseConfig(environment);
    return 'config' in parsed && parsed.config.corsOrigins;
  };
  assert.deepEqual(originsWith({}), ['*']);
  assert.deepEqual(originsWith({ SOLANA_RPC_URLS: 'http://a' }), []);
  for (const network of [{}, { SOLANA_RPC_URLS: 'http://a' }]) {
    for (const origin of ['https://a.example', 'http://[::1]:80801', 'capacitor://localhost', 'tauri://localhost:1']) {
      const isWrongPort = origin.endsWith(':80801');
      assert.deepEqual(originsWith({ ...network, CORS_ORIGINS: origin }), isWrongPort ? false : [origin]);
    }
  }
});

test('A quorum of more upstreams than there are stops the start', () => {
  for (const [urls, quorum, count] of [
    ['', '2', 0],
    ['http://a', '2', 1],
    ['http://a,http://a', '2', 1],
    ['http://a,http://b', '3', 2],
  ] as const) {
    const parsed = parseConfig({ SOLANA_RPC_URLS: urls, UPSTREAM_QUORUM: quorum });
    assert.ok('faults' in parsed);
    assert.match(parsed.faults.join(), new RegExp(`UPSTREAM_QUORUM is ${quorum}, and SOLANA_RPC_URLS names ${count} `));
  }
});

test('Without DATABASE_URL a network has a file of its own, apart from that of the sandbox', () => {
  const parsed = parseConfig({ SOLANA_RPC_URLS: 'http://a' });
  assert.equal('config' in parsed && parsed.config.databaseUrl, 'sqlite:.splwright/keys.db');
});

/** As many as the greatest quorum. */
const sixteenUrls = Array.from({ length: 16 }, (_, index) => `http://node${index}`).join(',');
const numbers = variables.flatMap(({ name, range }) => (range ? [{ name, range }] : []));

test('A number is taken from its minimum to its maximum and nothing else', () => {
  for (const { name, range } of numbers) {
    const [minimum, maximum] = range;
    for (const value of range) assert.deepEqual(faultsOf({ [name]: String(value), SOLANA_RPC_URLS: sixteenUrls }), []);
    const outside = [String(minimum - 1), String(maximum + 1), '9'.repeat(40)];
    for (const value of [...outside, 'x', '1e3', '0x10', '1.5', '+1', '１', '1 2']) {
      const fault = `${name} must be a whole number from ${minimum} to ${maximum}, not ${JSON.stringify(value)}.`;
      assert.deepEqual(faultsOf({ [name]: value }), [fault]);
    }
  }
});

test('A fault', async (t) => {
  await t.test('is reported for a word that is no choice', () => {
    const levels = 'trace, debug, info, warn, error, fatal, silent';
    assert.deepEqual(faultsOf({ LOG_LEVEL: 'loud' }), [`LOG_LEVEL must be one of ${levels}, not "loud".`]);
    const strict = 'SANDBOX_STRICT_PREFLIGHT must be one of false, true, not "yes".';
    assert.deepEqual(faultsOf({ SANDBOX_STRICT_PREFLIGHT: 'yes' }), [strict]);
  });

  await t.test('reports every upstream that is not an HTTP URL, by its index in the list', () => {
    const urls = 'https://ok.example,ws://a.example,,localhost:8899,api.mainnet-beta.solana.com,http://';
    const entry = (index: number): string => `SOLANA_RPC_URLS: entry ${index} is not an http:// or https:// URL.`;
    assert.deepEqual(faultsOf({ SOLANA_RPC_URLS: urls }), [2, 3, 4, 5, 6].map(entry));
  });

  await t.test(
    'is reported for a proxy that is not one of HTTP, where there is an upstream of https, and does not repeat it',
    () => {
      const fault = 'HTTPS_PROXY must be an http:// or https:// URL, such as http://proxy.example:3128.';
      for (const value of ['socks5://u:SECRET@a', 'http://', 'a b']) {
        assert.deepEqual(faultsOf({ SOLANA_RPC_URLS: 'http://a,https://b', HTTPS_PROXY: value }), [fault]);
        assert.deepEqual(faultsOf({ SOLANA_RPC_URLS: 'http://a', HTTPS_PROXY: value }), []);
      }
    },
  );

  await t.test('is reported for a database that is neither SQLite nor PostgreSQL, or whose URL cannot be read', () => {
    for (const value of ['keys.db', 'sqlite:', 'mysql://a', 'postgres:a', 'postgres://u:50%/x@host:1x/db']) {
      assert.deepEqual(faultsOf({ DATABASE_URL: value }), [
        'DATABASE_URL must be sqlite: and a path, such as sqlite:.splwright/keys.db, or a postgres:// URL, such as ' +
          'postgres://user:password@host/database with its password percent-encoded.',
      ]);
    }
    for (const value of ['postgres://u:p%2F@h/db', 'postgresql://h:5432/db?sslmode=verify-full', 'postgres:///db']) {
      assert.deepEqual(faultsOf({ DATABASE_URL: value }), []);
    }
  });

  await t.test('reports a Redis URL that is not one', () => {
    for (const value of ['localhost:6379', 'redis:', 'redis://', 'http://a', 'redis://:pass/word@host']) {
      const [fault, ...others] = faultsOf({ REDIS_URL: value });
      assert.match(fault ?? '', /^REDIS_URL must be the redis:/, value);
      assert.deepEqual(others, []);
    }
  });

  await t.test('is reported for each text that no browser sends as an origin', () => {
    for (const value of ['a.example', 'https://a.example/', 'https://a.example:443', 'https://A.example', 'null', '']) {
      assert.deepEqual(faultsOf({ CORS_ORIGINS: `https://ok.example,${value},x://a b` }), [
        `CORS_ORIGINS must be origins as browsers send them, such as https://app.example or http://localhost:5173, or *: not "${value}".`,
        'CORS_ORIGINS must be origins as browsers send them, such as https://app.example or http://localhost:5173, or *: not "x://a b".',
      ]);
    }
  });

  await t.test('is reported for a public URL that payers could not use, and does not repeat it', () => {
    const good = { 'http://localhost:3000': '', 'http://127.0.0.1:3000/': '', 'http://[::1]:80': 'http://[::1]' };
    for (const [value, origin] of Object.entries({ ...good, 'HTTPS://PAY.EXAMPLE:443': 'https://pay.example' })) {
      const parsed = parseConfig({ PUBLIC_URL: value });
      assert.equal('config' in parsed && parsed.config.publicUrl, origin || value.replace(/\/$/, ''));
    }
    for (const value of [
      'pay.example',
      'http://pay.example',
      'http://localhost.example',
      'http://128.0.0.1',
      'ftp://pay.example',
      'https://user@pay.example',
      'https://:SECRET@pay.example',
      'https://pay.example/links',
      'https://pay.example//',
      'https://pay.example/?a',
      'https://pay.example?',
      'https://pay.example#a',
      'https://a.example,https://b.example',
      'javascript:alert(1)',
    ]) {
      const [fault, ...others] = faultsOf({ PUBLIC_URL: value });
      assert.match(fault ?? '', /^PUBLIC_URL must be an https:\/\/ origin/, value);
      assert.doesNotMatch(fault ?? '', /SECRET/);
      assert.deepEqual(others, []);
    }
  });

  await t.test('is reported for each origin of icons that could not stand in a header', () => {
    for (const value of [
      '*',
      'http://a.example',
      'https://a.example/',
      'https://a;script-src',
      'https://*.a',
      "'self'",
      '',
    ]) {
      assert.deepEqual(faultsOf({ PAY_ICON_ORIGINS: `https://ok.example,${value}` }), [
        `PAY_ICON_ORIGINS must be https origins, such as https://cdn.example: not ${JSON.stringify(value)}.`,
      ]);
    }
  });

  await t.test('is reported together with all others', () => {
    const wrong = { SOLANA_RPC_URLS: 'x', DATABASE_URL: 'x', LOG_LEVEL: 'x' };
    const faults = faultsOf({ ...wrong, ...Object.fromEntries(numbers.map(({ name }) => [name, 'x'])) });
    assert.equal(faults.length, numbers.length + 3);
    for (const name of [...Object.keys(wrong), ...numbers.map(({ name }) => name)]) {
      assert.equal(faults.filter((fault) => fault.startsWith(name)).length, 1, name);
    }
  });

  await t.test('never repeats a value that may hold a secret', () => {
    const faults = faultsOf({
      SOLANA_RPC_URLS: 'htps://x.example/?api-key=SECRET,user:SECRET@host,SECRET',
      DATABASE_URL: 'postgrs://user:SECRET@host/db',
      REDIS_URL: 'rediis://:SECRET@host',
    });
    assert.equal(faults.length, 5);
    assert.doesNotMatch(faults.join(), /SECRET/);
  });
});

test('A variable that looks like one of the service is named with the one that was meant', () => {
  const hint = (name: string, meant: string) => `${name} is not a variable of splwright: did you mean ${meant}?`;
  const misspelled = { SOLANA_RPC_URL: 'https://a', POTR: '80', DATABASE_URI: 'x', LOGLEVEL: 'warn', PORT: '' };
  assert.deepEqual(misspelledVariables(misspelled), [
    hint('SOLANA_RPC_URL', 'SOLANA_RPC_URLS'),
    hint('POTR', 'PORT'),
    hint('DATABASE_URI', 'DATABASE_URL'),
    hint('LOGLEVEL', 'LOG_LEVEL'),
  ]);
  const known = Object.fromEntries(variables.map(({ name }) => [name, 'x']));
  assert.deepEqual(
    misspelledVariables({ ...known, SOLANA_RPC_URL: 'https://a' }),
    [],
    'the one that is read is set too',
  );
});

test('Variables of shells, containers and other software are not taken for misspelled ones', () => {
  const common =
    'PATH HOME USER LANG TERM SHELL PWD OLDPWD SHLVL LOGNAME HOSTNAME EDITOR MAIL TZ LC_ALL NODE_ENV NODE_OPTIONS NODE_PATH CI DEBUG ' +
    'HTTP_PROXY HTTPS_PROXY NO_PROXY NO_COLOR FORCE_COLOR npm_config_registry npm_package_name INIT_CWD SSH_AUTH_SOCK DISPLAY ' +
    'KUBERNETES_PORT KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT POSTGRES_USER POSTGRES_PASSWORD PGHOST PGPORT PGUSER REDIS_HOST ' +
    'REDIS_PORT OTEL_METRICS_EXPORTER OTEL_LOGS_EXPORTER OTEL_SERVICE_NAME OTEL_EXPORTER_OTLP_METRICS_ENDPOINT GOPATH JAVA_HOME ' +
    'INVOCATION_ID JOURNAL_STREAM MAINPID AWS_REGION GITHUB_TOKEN DOCKER_HOST COMPOSE_PROJECT_NAME XDG_RUNTIME_DIR';
  assert.deepEqual(misspelledVariables(Object.fromEntries(common.split(' ').map((name) => [name, 'x']))), []);
});
