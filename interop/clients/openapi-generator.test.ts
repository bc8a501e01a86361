import { after, before, test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { runProgram } from '../setup/program.ts';
import { type Service, startService } from '../setup/service.ts';
import { runCommand, saveDocument } from './document.ts';
import { assertClientLands } from './trial.ts';

let service: Service;
let document: string;
before(async () => {
  service = await startService();
  document = await saveDocument(service, 'openapi-generator');
});
after(() => service.stop());

async function generate(language: string, ...words: string[]): Promise<void> {
  const onlyCode = 'apiTests=false,modelTests=false,apiDocs=false,modelDocs=false';
  const options = ['-i', document, '-g', language, '-o', `generated/${language}`, '--global-property', onlyCode];
  await runCommand('java', '-jar', 'tools/openapi-generator-cli-7.25.0.jar', 'generate', ...options, ...words);
}

/** The first line that a program prints; Maven adds colors of its own. */
async function printedBy(folder: string, command: string, ...words: string[]): Promise<string> {
  const [line = ''] = await runProgram(service, folder, command, ...words);
  return stripVTControlCharacters(line);
}

test('The Python client of openapi-generator lands a transfer', async () => {
  await generate('python');
  await assertClientLands(service, () =>
    printedBy('clients/generated/python', '../../../python/.venv/bin/python', '../../python/build.py'),
  );
});

test('The Go client of openapi-generator compiles, and lands a transfer', async () => {
  await generate('go', '--git-host', 'splwright.example', '--git-user-id', 'generated', '--git-repo-id', 'client');
  await assertClientLands(service, () => printedBy('clients/go', 'go', 'run', '.'));
});

test('The Kotlin client of openapi-generator compiles, and lands a transfer', async () => {
  // It makes an empty class of "an array of bytes or a text", and of "an outcome or a list of them", which other operations
  // answer: those are any values here.
  await generate('kotlin', '--schema-mappings', 'Transaction=kotlin.Any,OutcomeData=kotlin.Any');
  await runCommand('mvn', '-q', '-B', '-f', 'kotlin', 'compile');
  await assertClientLands(service, () => printedBy('clients/kotlin', 'mvn', '-q', '-B', 'exec:java'));
});
