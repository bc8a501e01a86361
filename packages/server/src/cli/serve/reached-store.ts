import { AppError } from '../../errors.ts';
import type { PaymentLinkStore } from '../../keys/store/payment-links/payment-link-store.ts';
import { storeFaultOf } from '../../keys/store/store-fault.ts';
import { storeRetrySeconds } from '../../keys/store-retry-seconds.ts';

/** What requests need of the store of links. */
type ServedLinkStore = Omit<PaymentLinkStore, 'prune' | 'listUnsettled'>;

/** Returns the same store, whose calls are rejected with an `AppError` of status 503 when the database does not answer. */
export function reachedStore(store: ServedLinkStore): ServedLinkStore {
  return {
    insert: (...input) => reached(store.insert(...input)),
    find: (...input) => reached(store.find(...input)),
    list: (...input) => reached(store.list(...input)),
    cancel: (...input) => reached(store.cancel(...input)),
    findByReferences: (...input) => reached(store.findByReferences(...input)),
    saveCheck: (...input) => reached(store.saveCheck(...input)),
    isOwnerActive: (...input) => reached(store.isOwnerActive(...input)),
  };
}

async function reached<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
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
