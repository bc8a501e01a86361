import { after, before, test } from 'node:test';
import { type Service, startService } from '../setup/service.ts';
import { runTool, saveDocument } from './document.ts';
import { assertClientLands } from './trial.ts';

let service: Service;
before(async () => {
  service = await startService();
  const document = await saveDocument(service, 'openapi-typescript');
  await saveDocument(service, 'hey-api');
  await Promise.all([
    runTool('openapi-typescript', document, '--output', 'generated/openapi-typescript.ts'),
    runTool('openapi-ts', '--file', 'openapi-ts.config.ts'),
  ]);
  await runTool('tsc', '--project', 'typescript');
});
after(() => service.stop());

// Imported only now that the clients are generated.
for (const name of ['openapi-fetch', 'hey-api']) {
  test(`The types and the client of ${name} compile, and land a transfer`, async () => {
    const { build }: { build: (url: string) => Promise<string> } = await import(`./typescript/${name}.ts`);
    await assertClientLands(service, () => build(service.url));
  });
}
