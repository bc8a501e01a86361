import { parseArgs } from 'node:util';
import { profileService } from './profile.ts';
import { type Section, sectionToMarkdown } from './report/section.ts';
import { openStage } from './service/services.ts';
import { measureThroughput } from './service/throughput.ts';

const { values } = parseArgs({ options: { only: { type: 'string' }, profile: { type: 'boolean', default: false } } });

async function service(): Promise<Section[]> {
  const stage = await openStage();
  try {
    return [await measureThroughput(stage)];
  } finally {
    await stage.close();
  }
}

if (values.profile) {
  console.log(await profileService());
} else {
  for (const section of await service()) {
    console.log(`${sectionToMarkdown(section)}\n`);
    console.table(section.results);
  }
}
