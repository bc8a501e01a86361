import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AggregatorRegistry, Histogram as LibraryHistogram, Registry } from 'prom-client';
import { Histogram } from '../../src/metrics/histogram.ts';

const buckets = [0.005, 0.1, 1, 50];
// Below, at and between the bounds, at the last one and above it.
const values = [0, 0.001, 0.005, 0.0051, 0.1, 0.7, 1, 49.999, 50, 50.1, 1_000];

/** The same histograms twice, ours and the library's, with the same values. */
function observedTwice(): { own: Registry; library: Registry } {
  const [own, library] = [new Registry(), new Registry()];
  const plain = { name: 'plain_seconds', help: 'Without labels', buckets };
  const unused = { name: 'unused', help: 'Without labels and values', buckets };
  const labeled = { name: 'labeled_seconds', help: 'With labels', buckets, labelNames: ['route', 'status'] };
  new Histogram(unused, own);
  new LibraryHistogram({ ...unused, registers: [library] });
  const [ownPlain, ownLabeled] = [new Histogram(plain, own), new Histogram(labeled, own)];
  const libraryPlain = new LibraryHistogram({ ...plain, registers: [library] });
  const libraryLabeled = new LibraryHistogram({ ...labeled, registers: [library] });
  for (const [index, value] of values.entries()) {
    const [route, status] = [index % 2 === 0 ? '/z' : '/a "quoted"\n', index % 3 === 0 ? '200' : '404'];
    ownPlain.of().observe(value);
    ownLabeled.of(route, status).observe(value);
    libraryPlain.observe(value);
    libraryLabeled.observe({ route, status }, value);
  }
  return { own, library };
}

test('The text of a histogram is that of the library, with and without labels, values and both', async () => {
  const { own, library } = observedTwice();
  const text = await own.metrics();
  assert.equal(text, await library.metrics());
  assert.match(text, /^plain_seconds_bucket\{le="0\.005"\} 3$/m);
  assert.match(text, /^unused_count 0$/m);
});

test('The primary process adds up the histograms of its workers as it does those of the library', async () => {
  const [one, other] = [observedTwice(), observedTwice()];
  const summed = async (registries: readonly Registry[]) =>
    AggregatorRegistry.aggregate(
      await Promise.all(registries.map((registry) => registry.getMetricsAsJSON())),
    ).metrics();
  const text = await summed([one.own, other.own]);
  assert.equal(text, await summed([one.library, other.library]));
  assert.match(text, /^plain_seconds_count 22$/m);
});

test('The values of the same labels are counted together', async () => {
  const registry = new Registry();
  const histogram = new Histogram({ name: 'a', help: 'b', buckets, labelNames: ['c', 'd'] }, registry);
  assert.equal(histogram.of('x', 'y'), histogram.of('x', 'y'));
  assert.notEqual(histogram.of('x', 'y'), histogram.of('xy', ''));
});
