import { UpstreamFault } from '../../chain/upstream-faults.ts';
import { AppError } from '../../errors.ts';
import type { PaymentLinkStore } from '../../keys/store/payment-links/payment-link-store.ts';
import { storeFaultOf } from '../../keys/store/store-fault.ts';
import { storeRetrySeconds } from '../../keys/store-retry-seconds.ts';

/** What requests need of the store of links. */
export type ServedLinkStore = Omit<PaymentLinkStore, 'prune' | 'listUnsettled'>;

/**
 * Returns the store of the ledger that is served, which is found when it is first needed.
 *
 * Its calls are rejected with an `AppError` of status 503 when the database does not answer, and with the fault of the upstream
 * while no upstream says which ledger it is.
 */
export function reachedStore(find: () => Promise<ServedLinkStore>): ServedLinkStore {
  return {
    insert: (...input) => reached(find().then((store) => store.insert(...input))),
    find: (...input) => reached(find().then((store) => store.find(...input))),
    list: (...input) => reached(find().then((store) => store.list(...input))),
    cancel: (...input) => reached(find().then((store) => store.cancel(...input))),
    noteHandedOut: (...input) => reached(find().then((store) => store.noteHandedOut(...input))),
    findByReferences: (...input) => reached(find().then((store) => store.findByReferences(...input))),
    saveCheck: (...input) => reached(find().then((store) => store.saveCheck(...input))),
    listOwnerKeys: (...input) => reached(find().then((store) => store.listOwnerKeys(...input))),
  };
}

async function reached<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof UpstreamFault) throw error;
    throw new AppError(
      'payment_links_unavailable',
      'The database of payment links does not answer now. Try again soon.',
      {
        retryAfterSeconds: storeRetrySeconds,
        cause: storeFaultOf(error),
      },
    );
  }
}
