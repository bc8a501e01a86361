const sqliteBusy = 5;
const retryMs = 10;
const defaultLockTimeoutMs = 10_000;

/**
 * Does what needs the lock of an SQLite file, again and again while another connection holds it, and does not block meanwhile.
 *
 * Throws what the action threw: any other error at once, and the busy one once `timeoutMs` are over.
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

function isBusy(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // Of a fault that was put into a sentence SQLite's own error is the cause.
  if (!('errcode' in error)) return isBusy(error.cause);
  // The low byte of an extended result code is its primary code (https://www.sqlite.org/rescode.html).
  return typeof error.errcode === 'number' && (error.errcode & 0xff) === sqliteBusy;
}
