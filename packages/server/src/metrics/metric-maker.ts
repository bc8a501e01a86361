import { Counter, Gauge, Histogram, Registry } from '@prometheus-io/client';

/** The name of a metric, its text for readers, and the names of its labels. */
interface MetricDescription<Label extends string> {
  name: string;
  help: string;
  labelNames?: Label[];
}

interface HistogramDescription<Label extends string> extends MetricDescription<Label> {
  /** The upper bounds of the buckets, the lowest first. */
  buckets: number[];
}

/** A metric whose value is read at each scrape. */
interface GaugeDescription<Label extends string> extends MetricDescription<Label> {
  /** How the values of several workers become one; their sum by default. */
  aggregator?: 'max' | 'min';
  /** Sets the current values. */
  collect: (gauge: Gauge<Label>) => void;
}

const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Makes metrics, each registered in one registry. */
export class MetricMaker {
  readonly registry = new Registry();
  readonly #registers = [this.registry];

  /** Makes a counter. */
  counter<Label extends string = never>(description: MetricDescription<Label>): Counter<Label> {
    return new Counter({ ...description, registers: this.#registers });
  }

  /** Makes a histogram with these upper bounds of its buckets. */
  histogram<Label extends string = never>(description: HistogramDescription<Label>): Histogram<Label> {
    return new Histogram({ ...description, registers: this.#registers });
  }

  /** Makes a histogram of durations in seconds, from 1 ms to 5 s. */
  durations<Label extends string = never>(description: MetricDescription<Label>): Histogram<Label> {
    return this.histogram({ ...description, buckets: durationBuckets });
  }

  /** Makes a gauge. */
  gauge<Label extends string = never>({ collect, ...description }: GaugeDescription<Label>): void {
    new Gauge({
      ...description,
      registers: this.#registers,
      collect() {
        collect(this);
      },
    });
  }
}
