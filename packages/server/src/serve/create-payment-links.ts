import type { RpcChainReader } from '../chain/rpc-chain-reader.ts';
import { UpstreamFault } from '../chain/upstream-faults.ts';
import type { Config } from '../config.ts';
import { sandboxKeyId, unrestricted } from '../keys/authenticated-key.ts';
import { linkJson } from '../links/link-json.ts';
import { publicUrlOf } from '../links/link-requests.ts';
import { viewOf } from '../links/link-view.ts';
import { PaymentLinks } from '../links/payment-links.ts';
import type { LinkRecords } from '../links/records/link-records.ts';
import { AppError } from '../problems.ts';
import { storeFaultOf, storeRetrySeconds } from '../store/store-faults.ts';
import type { SponsorParts } from '../transfers/build-sponsored.ts';
import type { TransferBuilder } from '../transfers/transfer-builder.ts';
import type { PaymentDependencies } from './build-app.ts';
import type { ServedCluster } from './served-cluster.ts';
import type { Store } from './store/store.ts';

export interface PaymentParts {
  config: Config;
  store: Pick<Store, 'links'>;
  cluster: ServedCluster;
  reader: RpcChainReader;
  builder: TransferBuilder;
  /** Signs for payers of sponsored links; absent where there is none. */
  sponsoring?: SponsorParts | undefined;
  /** Whether it runs on a sandbox, whose key is in no store and whose links lead to where it listens. */
  isOnSandbox: boolean;
}

/** The payment links of a service, which learns where it listens after its app is built. */
export interface ServedPaymentLinks {
  payments: PaymentDependencies;
  /** To be called with the URL at which the service listens. */
  setListenUrl(url: string): void;
}

/** Makes what payment links are served with. */
export function createPaymentLinks({
  config,
  store,
  cluster,
  reader,
  builder,
  sponsoring,
  isOnSandbox,
}: PaymentParts): ServedPaymentLinks {
  let publicUrl = config.publicUrl;
  const links = withUnavailableErrors(store.links, () => cluster.confirm());
  return {
    setListenUrl: (url) => {
      if (isOnSandbox) publicUrl ??= originForWallets(url);
    },
    payments: {
      links: new PaymentLinks({
        store: boundStore(links, config.maxOpenLinksPerKey, isOnSandbox),
        reader,
        history: reader.history,
        builder,
        sponsoring,
        readSlotMs: () => reader.readSlotMs(),
        describe: (stored, now) => linkJson(viewOf(stored, now), publicUrl ?? ''),
        checksPerSecond: config.paymentChecksPerSecond,
        checkTimeoutMs: config.requestDeadlineMs,
        now: () => Date.now(),
        elapsed: () => performance.now(),
      }),
      refundStore: links,
      publicUrl: () => publicUrlOf(publicUrl),
      chain: async () => (await reader.readClusterNames())?.chain,
      iconOrigins: config.payIconOrigins,
      brand: config.payBrand,
      blockchainId: async () => (await reader.readClusterNames())?.blockchainId,
      payRateLimitPerMinute: config.payRateLimitPerMinute,
    },
  };
}

/** Adds the bounds of every link, and the key of the sandbox, which is in no store. */
function boundStore(links: ServedLinkStore, maxOpenLinks: number, isOnSandbox: boolean): ServedLinkStore {
  const sandboxKeys = isOnSandbox ? [{ id: sandboxKeyId, restrictions: { ...unrestricted, sponsorsRent: true } }] : [];
  return {
    ...links,
    insert: (link, bounds) =>
      links.insert(link, {
        ...bounds,
        maxOpen: maxOpenLinks,
        needsKey: link.keyId !== sandboxKeyId,
      }),
    listOwnerKeys: async (ownerId, now) => (ownerId === sandboxKeyId ? sandboxKeys : links.listOwnerKeys(ownerId, now)),
  };
}

/** Returns the origin at which wallets on this machine reach a service that listens at a URL: loopback for 0.0.0.0 and [::]. */
function originForWallets(url: string): string {
  const { protocol, hostname, port } = new URL(url);
  const isAny = hostname === '0.0.0.0' || hostname === '[::]';
  return `${protocol}//${isAny ? '127.0.0.1' : hostname}:${port}`;
}

/** The records of links without those that retention alone uses. */
export type ServedLinkStore = Omit<LinkRecords, 'prune' | 'pruneIssued' | 'listUnsettled'>;

/**
 * Returns records that are used once `confirmCluster` has resolved.
 *
 * Calls are rejected with an `AppError` of status 503 when the database does not answer, and with the fault of the upstream while no
 * upstream says which cluster is served.
 */
function withUnavailableErrors(links: ServedLinkStore, confirmCluster: () => Promise<void>): ServedLinkStore {
  const served = <T>(call: () => Promise<T>): Promise<T> => reached(confirmCluster().then(call));
  return {
    insert: (...input) => served(() => links.insert(...input)),
    find: (...input) => served(() => links.find(...input)),
    list: (...input) => served(() => links.list(...input)),
    cancel: (...input) => served(() => links.cancel(...input)),
    noteHandedOut: (...input) => served(() => links.noteHandedOut(...input)),
    reserveRefund: (...input) => served(() => links.reserveRefund(...input)),
    noteRefund: (...input) => served(() => links.noteRefund(...input)),
    issue: (...input) => served(() => links.issue(...input)),
    findIssued: (...input) => served(() => links.findIssued(...input)),
    issueSponsored: (...input) => served(() => links.issueSponsored(...input)),
    findByReferences: (...input) => served(() => links.findByReferences(...input)),
    saveCheck: (...input) => served(() => links.saveCheck(...input)),
    listOwnerKeys: (...input) => served(() => links.listOwnerKeys(...input)),
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
