const windowSize = 64;
const percentile = 0.95;

// They are sorted again after so many new samples.
const samplesBetweenSorts = 16;

// The 95th percentile of fewer samples means too little.
const minSamples = 10;

/** The latest latencies of one kind of call, in milliseconds. */
export class LatencyWindow {
  readonly #samples = new Float64Array(windowSize);
  #count = 0;
  #percentile95: number | undefined;

  /** Adds a latency. */
  add(latencyMs: number): void {
    this.#samples[this.#count % windowSize] = latencyMs;
    this.#count += 1;
    if (this.#count === minSamples || this.#count % samplesBetweenSorts === 0) this.#sort();
  }

  /** The latency that 95 of 100 calls do not exceed; `undefined` while there are too few samples. */
  get percentile95(): number | undefined {
    return this.#percentile95;
  }

  #sort(): void {
    const sorted = this.#samples.slice(0, Math.min(this.#count, windowSize)).sort();
    this.#percentile95 = sorted[Math.ceil(sorted.length * percentile) - 1];
  }
}
