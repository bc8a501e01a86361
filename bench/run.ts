/**
 * Measures splwright beside its peers.
 *
 * Without arguments everything, three times (`--runs`), once the machine is quiet, and writes the report; with `--only build|curve|service|batches|outcomes|growth` a part, and writes nothing
 * but growth's drawing; `--profile` shows where the server's time goes, `--checks` compares with the reference libraries,
 * `--pair FOLDER` compares the service with that of another worktree.
 */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { measureBatches } from './batches/measure-batches.ts';
import { measureBuilds } from './build/measure-builds.ts';
import { measureCurve } from './build/measure-curve.ts';
import { runChecks } from './checks/run-checks.ts';
import { measureGrowth } from './growth/measure-growth.ts';
import { measureOutcomes } from './outcomes/measure-outcomes.ts';
import { describeProfile, profileService } from './profile.ts';
import { lookAround } from './report/results-document.ts';
import { type Section, sectionToMarkdown } from './report/section.ts';
import { writeReport } from './report/write-report.ts';
import { measureLatency } from './service/latency.ts';
import { comparePair } from './service/pair.ts';
import { openStage, type Stage } from './service/services.ts';
import { measureStart } from './service/start.ts';
import { measureThroughput } from './service/throughput.ts';

async function onStage<T>(measure: (stage: Stage) => Promise<T>): Promise<T> {
  const stage = await openStage();
  try {
    return await measure(stage);
  } finally {
    await stage.close();
  }
}

const growthDrawing = fileURLToPath(new URL('./growth.svg', import.meta.url));

const parts: Readonly<Record<string, () => Promise<Section[]>>> = {
  build: async () => [await measureBuilds()],
  curve: async () => [await measureCurve()],
  service: () =>
    onStage(async (stage) => [await measureThroughput(stage), await measureStart(stage), await measureLatency(stage)]),
  batches: () => onStage(measureBatches),
  outcomes: async () => [await measureOutcomes()],
  growth: () => onStage((stage) => measureGrowth(stage, growthDrawing)),
};

async function runParts(names: readonly string[]): Promise<Section[]> {
  const sections: Section[] = [];
  for (const name of names) {
    const part = parts[name];
    if (!part) throw new RangeError(`there is no part ${name}; there are ${Object.keys(parts).join(', ')}`);
    for (const section of await part()) {
      console.log(`${sectionToMarkdown(section)}\n`);
      sections.push(section);
    }
  }
  return sections;
}

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    profile: { type: 'boolean' },
    checks: { type: 'boolean' },
    pair: { type: 'string' },
    rounds: { type: 'string', default: '20' },
    node: { type: 'string', default: '' },
    runs: { type: 'string', default: '3' },
  },
});

if (values.checks) {
  console.log(await runChecks());
} else if (values.profile) {
  console.log(describeProfile(await onStage(profileService)));
} else if (values.pair !== undefined) {
  const nodeArguments = values.node.split(' ').filter((argument) => argument !== '');
  console.log(await comparePair({ other: resolve(values.pair), rounds: Number(values.rounds), nodeArguments }));
} else if (values.only !== undefined) {
  const sections = await runParts([values.only]);
  console.table(sections.flatMap((section) => section.results));
} else {
  const count = Number(values.runs);
  if (!Number.isInteger(count) || count < 1) throw new RangeError(`--runs takes a number from 1, not ${values.runs}`);
  const surroundings = await lookAround();
  const startedAt = performance.now();
  const runs: Section[][] = [];
  while (runs.length < count) runs.push(await runParts(Object.keys(parts)));
  console.log(writeReport(surroundings, runs));
  console.log(`\nAll of it took ${Math.round((performance.now() - startedAt) / 1000)} s.`);
}
