/**
 * Runs test files in this process with one source file changed, and ends with 1 at the first failure.
 *
 * The change is made while the file is loaded: nothing is written, so that several mutants can run at the same time.
 * The only argument is JSON, `{ url, start, end, replacement, files, measure }`. What was found goes to file descriptor 3, as JSON:
 * the name of the test that failed, or with `measure` which ranges of the sources ran, and the processor time.
 */
import { readFileSync, writeSync } from 'node:fs';
import { type Profiler, Session } from 'node:inspector';
import { registerHooks } from 'node:module';
import { run } from 'node:test';
import { fileURLToPath } from 'node:url';

const { url, start, end, replacement, files, measure } = JSON.parse(process.argv[2] ?? '');

registerHooks({
  load(loaded, context, nextLoad) {
    if (loaded !== url) return nextLoad(loaded, context);
    const text = readFileSync(fileURLToPath(url), 'utf8');
    const source = text.slice(0, start) + replacement + text.slice(end);
    return { format: 'module-typescript', source, shortCircuit: true };
  },
});

const session = new Session();
if (measure) {
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
}

// Type stripping keeps every position, so that these ranges are those of the TypeScript sources.
function rangesThatRan(): Record<string, Profiler.CoverageRange[]> {
  const ranges: Record<string, Profiler.CoverageRange[]> = {};
  session.post('Profiler.takePreciseCoverage', (error, coverage) => {
    if (error) throw error;
    for (const script of coverage.result) {
      if (/\/packages\/\w+\/src\//.test(script.url))
        ranges[script.url] = script.functions.flatMap((part) => part.ranges);
    }
  });
  return ranges;
}

function finish(code: number, found: object): void {
  const report = Buffer.from(JSON.stringify(found));
  for (let written = 0; written < report.length; ) written += writeSync(3, report, written);
  process.exit(code);
}

process.on('uncaughtException', (error) => finish(1, { failed: String(error) }));
process.on('unhandledRejection', (error) => finish(1, { failed: String(error) }));

let passed = 0;
const tests = run({ files, isolation: 'none', concurrency: false });
tests.on('test:fail', ({ name, file }) => finish(1, { failed: `${name} (${file ?? 'no file'})` }));
tests.on('test:pass', () => passed++);
// What a test left open must not keep a mutant alive. Where no test ran at all, none has passed.
tests.on('end', () => {
  if (passed === 0) finish(1, { failed: 'no test ran' });
  const { user, system } = process.cpuUsage();
  finish(0, measure ? { ranges: rangesThatRan(), cpuMs: (user + system) / 1000 } : {});
});
tests.resume();
