const sqliteBusy = 5;
const retryMs = 10;
const defaultLockTimeoutMs = 10_000;
/** How long a write that a request waits for waits for the lock. */
const requestLockTimeoutMs = 1000;
/** While the file is locked, each attempt blocks a service for some 20 ms. */
const requestPauseMs = 80;

/**
 * Runs an action that needs the lock of an SQLite file, and retries it without blocking while another connection holds the lock.
 *
 * Throws what the action throws: any other error at once, and the busy one once `timeoutMs` have passed.
 */
export async function whenNotBusy<Result>(
  action: () => Result | Promise<Result>,
  timeoutMs = defaultLockTimeoutMs,
  pauseMs = retryMs,
): Promise<Result> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await action();
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}

/** As `whenNotBusy`, for a write that a request waits for: gives up after 1 s, and blocks the process for a fifth of it. */
export function whenSoonNotBusy<Result>(action: () => Result | Promise<Result>): Promise<Result> {
  return whenNotBusy(action, requestLockTimeoutMs, requestPauseMs);
}

function isBusy(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // A fault that has words has SQLite's own error as its cause.
  if (!('errcode' in error)) return isBusy(error.cause);
  // The low byte of an extended result code is its primary code (https://www.sqlite.org/rescode.html).
  return typeof error.errcode === 'number' && (error.errcode & 0xff) === sqliteBusy;
}
