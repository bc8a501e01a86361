import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { measureBuilds } from './build/measure-builds.ts';
import { measureCurve } from './build/measure-curve.ts';
import { measureGrowth } from './growth/measure-growth.ts';
import { profileService } from './profile.ts';
import { type Section, sectionToMarkdown } from './report/section.ts';
import { measureLatency } from './service/latency.ts';
import { openStage, type Stage } from './service/services.ts';
import { measureThroughput } from './service/throughput.ts';

const { values } = parseArgs({ options: { only: { type: 'string' }, profile: { type: 'boolean', default: false } } });

async function onStage(measure: (stage: Stage) => Promise<Section[]>): Promise<Section[]> {
  const stage = await openStage();
  try {
    return await measure(stage);
  } finally {
    await stage.close();
  }
}

const parts: Record<string, () => Promise<Section[]>> = {
  build: async () => [await measureBuilds()],
  curve: async () => [await measureCurve()],
  service: () => onStage(async (stage) => [await measureThroughput(stage), await measureLatency(stage)]),
  growth: () => onStage((stage) => measureGrowth(stage, fileURLToPath(new URL('growth.svg', import.meta.url)))),
};

if (values.profile) {
  console.log(await profileService());
} else {
  for (const [name, part] of Object.entries(parts)) {
    if (values.only !== undefined && values.only !== name) continue;
    for (const section of await part()) {
      console.log(`${sectionToMarkdown(section)}\n`);
      console.table(section.results);
    }
  }
}
