#!/usr/bin/env node
// Plain JavaScript, so that a Node too old to read TypeScript says so in a sentence.
import module from 'node:module';
import { fileURLToPath } from 'node:url';
import v8 from 'node:v8';

const oldest = 24;

if (Number(process.versions.node.split('.')[0]) >= oldest) {
  // In some processes every request would leave objects behind until the next full collection (docs/decisions/command-line-and-start.md).
  v8.setFlagsFromString('--no-allocation-site-pretenuring');
  // Next to the code: who may write here may write the code as well. In a folder that is read-only nothing is kept.
  module.enableCompileCache(fileURLToPath(new URL('../.compile-cache', import.meta.url)));
  await import('../src/main.ts');
} else {
  process.stderr.write(
    `splwright needs Node ${oldest} or later, and this is ${process.versions.node}: install one, or run it by npm ` +
      '(npm start), which uses the Node that npm ci installs as an optional package.\n',
  );
  process.exitCode = 1;
}
