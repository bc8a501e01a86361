import { Histogram as LibraryHistogram, type Registry } from 'prom-client';

/** The name of a histogram, its text for readers, the names of its labels, and the upper bounds of its buckets. */
export interface HistogramDescription<Label extends string> {
  name: string;
  help: string;
  labelNames?: Label[];
  /** The lowest first. */
  buckets: number[];
}

/**
 * A histogram that the registry serves like one of the library.
 *
 * The library finds the bucket of a value by the text of its bound, which costs many times as much as counting.
 */
export class Histogram<Label extends string = never> {
  readonly #bounds: readonly number[];
  readonly #labelNames: readonly Label[];
  readonly #distributions = new Map<string, Distribution>();

  constructor(description: HistogramDescription<Label>, registry: Registry) {
    const { name, labelNames = [], buckets } = description;
    this.#bounds = buckets;
    this.#labelNames = labelNames;
    // Without labels there is one distribution, which is served before its first value too.
    if (labelNames.length === 0) this.of();
    new ServedHistogram(description, registry, () =>
      [...this.#distributions.values()].flatMap((distribution) => distribution.samples(name)),
    );
  }

  /** The values with these labels, in the order of the names of the labels; always the same object for the same labels. */
  of(...labels: string[]): Distribution {
    const key = labels.join('\n');
    const known = this.#distributions.get(key);
    if (known) return known;
    const distribution = new Distribution(
      this.#bounds,
      Object.fromEntries(this.#labelNames.map((name, index) => [name, labels[index] ?? ''])),
    );
    this.#distributions.set(key, distribution);
    return distribution;
  }
}

/** One line of the text of the metrics. */
interface Sample {
  metricName: string;
  labels: Record<string, string | number>;
  /** Written after the others. */
  sharedLabels: Record<string, string>;
  value: number;
}

/** The values of a histogram with the same labels. */
export class Distribution {
  readonly #bounds: readonly number[];
  readonly #labels: Record<string, string>;
  /** How many values are in each bucket and in none of those before it; the last one has no bound. */
  readonly #counts: Float64Array;
  #sum = 0;

  constructor(bounds: readonly number[], labels: Record<string, string>) {
    this.#bounds = bounds;
    this.#labels = labels;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  /** Counts a value. */
  observe(value: number): void {
    let bucket = 0;
    for (const bound of this.#bounds) {
      if (value <= bound) break;
      bucket += 1;
    }
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#sum += value;
  }

  /** The samples of the histogram of this name: a bucket counts the values of those before it too. */
  samples(name: string): readonly Sample[] {
    const sharedLabels = this.#labels;
    let count = 0;
    const buckets = Array.from(this.#counts, (added, index): Sample => {
      count += added;
      return {
        metricName: `${name}_bucket`,
        labels: { le: this.#bounds[index] ?? '+Inf' },
        sharedLabels,
        value: count,
      };
    });
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels: {}, sharedLabels, value: this.#sum },
      { metricName: `${name}_count`, labels: {}, sharedLabels, value: count },
    ];
  }
}

/** The histogram in the registry, of which only the values are not the library's own. */
class ServedHistogram extends LibraryHistogram {
  readonly #description: HistogramDescription<string>;
  readonly #samples: () => readonly Sample[];

  constructor(description: HistogramDescription<string>, registry: Registry, samples: () => readonly Sample[]) {
    super({ ...description, registers: [registry] });
    this.#description = description;
    this.#samples = samples;
  }

  /** What the registry writes as text. The library's `get`, from which the primary process adds up its workers, calls it too. */
  async getForPromString(): Promise<object> {
    const { name, help } = this.#description;
    return { name, help, type: 'histogram', aggregator: 'sum', values: this.#samples() };
  }
}
