/** Work that several requests wait for, such as one upstream call. */
export interface SharedWork {
  /** Adds the request that asks now. */
  join(): void;
  /** Does the work on behalf of all that have joined; more may join while it runs. */
  run<T>(work: () => T): T;
}

/** Keeps track of the requests on whose behalf code runs, so that a trace says for which of them a call was made. */
export interface WorkTracer {
  /** Begins work that requests share, on behalf of the one that asks now, if there is one. */
  share(): SharedWork;
  /** Returns a function that does the same on behalf of the request that asks now, whoever calls it. */
  bind<Given extends readonly unknown[], Result>(action: (...given: Given) => Result): (...given: Given) => Result;
}
