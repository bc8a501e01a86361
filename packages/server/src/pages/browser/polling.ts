/** The path of the page's link: the same with and without a slash at its end. */
export const linkPath = location.pathname.replace(/\/$/, '');

/** The link as the service sees it. */
export interface LinkState {
  phase: string;
  is_final: boolean;
  title: string;
  message: string;
  notes: readonly string[];
  receipt: { amount?: string; unit?: string; received: string; payer: string; signature: string } | null;
  /** Why a wallet, of which it has the ends of the address, was refused a payment. */
  refused: { wallet: string; reason: string; at: string } | null;
}

const usualMs = 2_000;
const idleMs = 5_000;
const hiddenMs = 20_000;
const maxMs = 60_000;
// After this time a payment in the next seconds is unlikely.
const idleAfterMs = 300_000;

/** Asks for the state of the link again and again until it is final. Returns a function that asks at once. */
export function pollState(
  query: () => string,
  onState: (state: LinkState) => void,
  onConnection: (isLost: boolean) => void,
): () => void {
  let timer = 0;
  let failures = 0;
  let isAsking = false;
  let isDone = false;
  let askedAgainAt = Date.now();

  const wait = (ms: number) => {
    clearTimeout(timer);
    if (!isDone) timer = setTimeout(ask, ms);
  };
  const pace = () => {
    if (document.hidden) return hiddenMs;
    return Date.now() - askedAgainAt > idleAfterMs ? idleMs : usualMs;
  };
  const ask = async () => {
    if (isAsking) return;
    isAsking = true;
    let waitMs = pace();
    const asked = query();
    try {
      const reply = await fetch(`${linkPath}/state${asked}`, {
        headers: { accept: 'application/json' },
        cache: 'no-store',
      });
      if (reply.ok) {
        failures = 0;
        onConnection(false);
        const state = await reply.json();
        // Not for what was sent meanwhile.
        isDone = state.is_final && asked === query();
        onState(state);
      } else {
        waitMs = Math.max(waitMs, 1_000 * Number(reply.headers.get('retry-after') ?? 5) || 0);
      }
    } catch {
      failures += 1;
      if (failures > 1) onConnection(true);
      waitMs = Math.min(maxMs, waitMs * 2 ** failures);
    }
    isAsking = false;
    wait(waitMs);
  };
  const askNow = () => {
    askedAgainAt = Date.now();
    isDone = false;
    wait(0);
  };
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden && !isDone) askNow();
  });
  wait(usualMs);
  return askNow;
}
