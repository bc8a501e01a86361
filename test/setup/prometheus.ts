import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { freePort } from './free-port.ts';
import { assertInstalled } from './not-installed.ts';
import { repository } from './process.ts';
import type { Cleanup } from './service.ts';

/** One series of an answer: its labels, and its value now. */
export interface PrometheusSeries {
  metric: Readonly<Record<string, string>>;
  value: number;
}

/** A real Prometheus that reads one service. */
export interface TestPrometheus {
  /** Evaluates an expression. Throws with what Prometheus says of one that it cannot read. */
  query(expression: string): Promise<PrometheusSeries[]>;
  /** The names of the alerts of the rules that it has loaded. */
  alertNames(): Promise<string[]>;
}

/** Runs promtool, which comes with Prometheus, in a folder, and returns what it says. Throws when it ends with a fault. */
export function promtool(folder: string, ...values: string[]): string {
  assertInstalled('promtool', 'prometheus');
  const { status, stdout, stderr } = spawnSync('promtool', values, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`promtool ${values.join(' ')}:\n${stdout}${stderr}`);
  return stdout + stderr;
}

/**
 * Starts a Prometheus that reads the metrics at a port of loopback five times a second, with the rules of `deploy/`, and ends it
 * with the test. Throws when none is installed.
 */
export async function startPrometheus(t: Cleanup, metricsPort: number): Promise<TestPrometheus> {
  assertInstalled('prometheus', 'prometheus');
  const folder = mkdtempSync(join(tmpdir(), 'splwright-prometheus-'));
  const port = await freePort();
  const rules = join(repository, 'deploy/prometheus/splwright.rules.yaml');
  const config = {
    global: { scrape_interval: '200ms', scrape_timeout: '200ms', evaluation_interval: '1s' },
    rule_files: [rules],
    scrape_configs: [{ job_name: 'splwright', static_configs: [{ targets: [`127.0.0.1:${metricsPort}`] }] }],
  };
  // JSON is YAML.
  writeFileSync(join(folder, 'prometheus.yaml'), JSON.stringify(config));
  const flags = [`--config.file=${folder}/prometheus.yaml`, `--storage.tsdb.path=${folder}/data`];
  const child = spawn('prometheus', [...flags, `--web.listen-address=127.0.0.1:${port}`], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'exit').catch(() => undefined);
  t.after(async () => {
    child.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true });
  });
  await untilReady(child.stderr);
  const get = async (path: string): Promise<unknown> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    const body = (await response.json()) as { data?: unknown; error?: string };
    if (body.error !== undefined) throw new Error(body.error);
    return body.data;
  };
  return {
    async query(expression) {
      const data = await get(`/api/v1/query?query=${encodeURIComponent(expression)}`);
      const { result } = data as { result: { metric: Record<string, string>; value: [number, string] }[] };
      return result.map(({ metric, value }) => ({ metric, value: Number(value[1]) }));
    },
    async alertNames() {
      const { groups } = (await get('/api/v1/rules')) as { groups: { rules: { name: string }[] }[] };
      return groups.flatMap((group) => group.rules.map(({ name }) => name));
    },
  };
}

// Its log is read to its end: a pipe that nobody reads would stop it.
function untilReady(log: Readable): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = '';
    log.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      if (text.includes('Server is ready to receive web requests')) resolve();
    });
    log.once('end', () => reject(new Error(`Prometheus did not start:\n${text}`)));
  });
}
