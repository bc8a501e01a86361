import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Service, startService } from '../setup/service.ts';
import { runTool, saveDocument } from './document.ts';

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service.stop());

test("Redocly's linter has nothing to say about the OpenAPI document", async () => {
  const path = await saveDocument(service, 'redocly');
  const words = await runTool('redocly', 'lint', '--extends=recommended', path);
  assert.match(words, /Your API description is valid/);
  assert.doesNotMatch(words, /warning|error/i);
});

test("Spectral's rules for OpenAPI have nothing to say about it", async () => {
  const path = await saveDocument(service, 'spectral');
  const words = await runTool('spectral', 'lint', '--ruleset', 'spectral.yaml', '--fail-severity', 'hint', path);
  assert.match(words, /No results with a severity of 'hint' or higher found/);
});
