/**
 * Attacks the service within its limits, and prints what the clients of another key see meanwhile:
 * `node test/attacks/run.ts [--only PART_OF_A_NAME] [--deployment PART_OF_A_NAME] [--seconds 15]`.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { linkBody, linksPath } from '../../packages/server/test/app/sample-bodies.ts';
import { attacks, type Target } from './attacks.ts';
import { type Seen, watch } from './bystanders.ts';
import { type Deployment, deployments, startDeployment } from './deployments.ts';

const linkCount = 250;
const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    deployment: { type: 'string', default: '' },
    seconds: { type: 'string', default: '15' },
  },
});
const durationMs = 1_000 * Number(values.seconds);
const names = Object.keys(attacks).filter((name) => name.includes(values.only));

for (const deployment of Object.keys(deployments) as (keyof typeof deployments)[]) {
  if (!deployment.includes(values.deployment)) continue;
  console.log(`\n${deployment}\n${' '.repeat(42)}   p50     p99   batch    paid  /livez  memory  answered badly`);
  for (const name of ['nothing', ...names]) {
    const ends: (() => Promise<void>)[] = [];
    try {
      print(name, await measure(await startDeployment({ after: (end) => void ends.push(end) }, deployment), name));
    } finally {
      for (const end of ends.reverse()) await end();
    }
  }
}
process.exit();

async function measure(deployment: Deployment, name: string): Promise<Seen & { answered: object }> {
  const { urls, store } = deployment;
  const createKey = (of: string, rateLimitPerMinute: number | null) =>
    store.create({ name: of, expiresAt: null, rateLimitPerMinute });
  const [bystander, attacker, revoked] = [
    await createKey('bystander', 10_000),
    await createKey('attacker', null),
    await createKey('revoked', 10_000),
  ];
  const links = name.includes('links') ? await makeLinks(urls[0] ?? '', revoked.key) : [];
  await store.revoke(revoked.record.id);
  await watch(deployment, bystander.key, 3_000);
  const target: Target = { urls, key: attacker.key, links };
  const file = fileURLToPath(new URL('./attacker.ts', import.meta.url));
  const child = attacks[name] && fork(file, [name, JSON.stringify(target)]);
  let answered = {};
  child?.on('message', (counts: object) => {
    answered = counts;
  });
  const seen = await watch(deployment, bystander.key, durationMs);
  if (child) {
    if (child.exitCode !== null) throw new Error(`the attack ended with ${child.exitCode}`);
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  return { ...seen, answered };
}

function makeLinks(url: string, key: string): Promise<string[]> {
  return Promise.all(
    Array.from({ length: linkCount }, async () => {
      const response = await fetch(url + linksPath, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(linkBody),
      });
      const { data }: { data: { id: string } } = JSON.parse(await response.text());
      return data.id;
    }),
  );
}

function print(name: string, { answered, ...seen }: Seen & { answered: object }): void {
  const figures = [seen.singleP50, seen.singleP99, seen.batch, seen.paid, seen.liveness, seen.residentMegabytes];
  const refused = Object.entries(seen.refused).map(([what, count]) => `${count} × ${what}`);
  const cells = figures.map((figure, index) => figure.toFixed(index < 2 ? 1 : 0).padStart(8));
  const attacker = Object.entries(answered).map(([what, count]) => `${count} × ${what}`);
  console.log(
    `${name.padEnd(40)}${cells.join('')}  ${refused.join(', ') || `none of ${seen.singles}`}; attacker: ${attacker.join(', ')}`,
  );
}
