const windowSize = 64;
const percentile = 0.95;

// How many new samples make it worth sorting them again.
const samplesBetweenSorts = 16;

// Fewer say too little of their 95th percentile.
const leastSamples = 10;

/** The latest latencies of one kind of call, in milliseconds. */
export class LatencyWindow {
  readonly #samples = new Float64Array(windowSize);
  #count = 0;
  #percentile95: number | undefined;

  /** Takes note of a latency. */
  add(milliseconds: number): void {
    this.#samples[this.#count % windowSize] = milliseconds;
    this.#count += 1;
    if (this.#count === leastSamples || this.#count % samplesBetweenSorts === 0) this.#sort();
  }

  /** What 95 of 100 calls stay within; absent while too few are known. */
  get percentile95(): number | undefined {
    return this.#percentile95;
  }

  #sort(): void {
    const sorted = this.#samples.slice(0, Math.min(this.#count, windowSize)).sort();
    this.#percentile95 = sorted[Math.ceil(sorted.length * percentile) - 1];
  }
}
