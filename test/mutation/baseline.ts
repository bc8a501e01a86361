import { measure, type Range, urlOf } from './try-out.ts';

/** A test file that passes on unchanged sources. */
export interface MeasuredTest {
  file: string;
  /** Processor time, which a busy machine does not change much. */
  cpuMs: number;
  durationMs: number;
  /** Says whether the test runs a place of a source file. Only such a test can notice a mutant there. */
  reaches: (path: string, offset: number) => boolean;
}

const measured = new Map<string, Promise<MeasuredTest>>();

/** Runs a test file alone, without a mutant, once in the life of this process. Throws an `Error` that names the test that fails. */
export function measuredTest(file: string): Promise<MeasuredTest> {
  const known = measured.get(file) ?? measureTest(file);
  measured.set(file, known);
  return known;
}

async function measureTest(file: string): Promise<MeasuredTest> {
  const startedAt = performance.now();
  const result = await measure(file);
  if (result.outcome !== 'passed') throw new Error(`without any mutant, ${file} fails: ${result.failed}`);
  const { ranges = {}, cpuMs = 0 } = result.measurement ?? {};
  return {
    file,
    cpuMs,
    durationMs: performance.now() - startedAt,
    reaches: (path, offset) => hasRun(ranges[urlOf(path)] ?? [], offset),
  };
}

// The ranges of V8 are nested: the smallest one around a place has its count.
function hasRun(ranges: readonly Range[], offset: number): boolean {
  const around = ranges.filter(({ startOffset, endOffset }) => startOffset <= offset && offset < endOffset);
  const innermost = around.sort(
    (one, other) => one.endOffset - one.startOffset - (other.endOffset - other.startOffset),
  )[0];
  return innermost !== undefined && innermost.count > 0;
}
