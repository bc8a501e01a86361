import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Address, lamports } from '@solana/kit';
import { findAssociatedTokenPda } from '@solana-program/token-2022';
import type { Ledger } from '../../../packages/sandbox/src/index.ts';
import { type Keypair, keypairFromName } from '../../../packages/sandbox/src/ledger/keypair.ts';
import { Places } from '../../../packages/server/src/app/places.ts';
import { Work } from '../../../packages/server/src/app/work.ts';
import type { ChainHistory } from '../../../packages/server/src/chain/chain-history.ts';
import { type KeyRestrictions, unrestricted } from '../../../packages/server/src/keys/authenticated-key.ts';
import { linkJson } from '../../../packages/server/src/links/link-json.ts';
import { LinkRefunds } from '../../../packages/server/src/links/link-refunds.ts';
import { viewOf } from '../../../packages/server/src/links/link-view.ts';
import { PaymentLinks } from '../../../packages/server/src/links/payment-links.ts';
import { OutcomeFinder } from '../../../packages/server/src/outcomes/outcome-finder.ts';
import { openKeyStore } from '../../../packages/server/src/serve/store/open-key-store.ts';
import { createKoraDouble, type KoraDouble } from '../../../packages/server/test/setup/kora-double.ts';
import { installProxyProgram } from '../../setup/proxy-program.ts';
import { nameIn, systemProgram } from '../addresses.ts';
import { sponsorAt } from '../batches/judge-sponsored.ts';
import { allRules, type Court, openCourt } from '../court.ts';
import { Cluster } from '../outcomes/cluster.ts';
import type { Situation } from '../situation.ts';
import { account, writeTokenAccount } from '../token-account.ts';
import type { PayerName } from './link-world.ts';

/** Where worlds of links are lived through: a ledger, and two services on one database. */
export interface LinkStage {
  court: Court;
  cluster: Cluster;
  services: readonly [PaymentLinks, PaymentLinks];
  refunds: readonly [LinkRefunds, LinkRefunds];
  /** Milliseconds since the Unix epoch, and of the monotonic clock. */
  clock: { now: number; elapsed: number };
  /** Signs for links that are sponsored. */
  kora: KoraDouble;
  /** Makes the links. */
  key: { id: string } & Pick<KeyRestrictions, 'sponsoredLamportsPerDay' | 'sponsorsRent'>;
  /** What the services ask about the past. */
  past: { history: ChainHistory };
  /** What the owner of the links is told of one, in its sequence. */
  eventsOf(linkId: string): Promise<readonly ToldEvent[]>;
  close(): Promise<void>;
}

/** An event as an endpoint is sent it. */
export interface ToldEvent {
  type: string;
  sequence: number;
  data: object;
}

/** Who makes the links. */
export const owner = 'owner';
/** The wallet that the sponsor's fees are paid to. */
export const sponsorPaidAt = keypairFromName('splwright judge payment address').address;

const farAheadMs = 1e9;

/** Opens a stage. */
export async function openLinkStage(): Promise<LinkStage> {
  const [rules] = allRules;
  if (!rules) throw new Error('there are no rules');
  const court = openCourt(rules);
  installProxyProgram(court.ledger);
  const cluster = new Cluster(court.ledger);
  cluster.advance(60, 0);
  const folder = mkdtempSync(join(tmpdir(), 'splwright-links-'));
  const url = `sqlite:${join(folder, 'keys.db')}`;
  // `Work` tells by the real monotonic clock whether a deadline is over: none of this one ever is.
  const clock = { now: Number(court.ledger.blockTime(cluster.tip)) * 1_000, elapsed: farAheadMs };
  const past: LinkStage['past'] = { history: { nodes: () => [], neededDenials: 1, neededSightings: 1 } };
  const stores = [await openKeyStore(url, { use: 'service' }), await openKeyStore(url, { use: 'service' })] as const;
  const endpoint = { owner_id: owner, url: 'https://shop.example/hook', types: null, description: null };
  await stores[0].webhooks.endpoints.insert(endpoint, new Date());
  // In one process, a connection that waits for a lock keeps the other one from letting go of it.
  const places = new Places(1);
  const inTurn = <T>(call: () => Promise<T>): Promise<T> =>
    places.run('', work, () => new Error('the other one has kept its turn'), call);
  const work = new Work();
  const history: ChainHistory = {
    nodes: () => past.history.nodes(),
    get neededDenials() {
      return past.history.neededDenials;
    },
    get neededSightings() {
      return past.history.neededSightings;
    },
  };
  const refund = ({ links }: (typeof stores)[number]): LinkRefunds =>
    new LinkRefunds({
      store: {
        reserveRefund: (...asked) => inTurn(() => links.reserveRefund(...asked)),
        noteRefund: (refund) => inTurn(() => links.noteRefund(refund)),
      },
      outcomes: new OutcomeFinder(history),
      builder: court.builder,
      now: () => clock.now,
    });
  const kora = createKoraDouble(keypairFromName('splwright judge sponsor of links'), sponsorPaidAt);
  Object.assign(kora.rules, { allowed_programs: 'All', max_allowed_lamports: 10 ** 12 });
  const key: LinkStage['key'] = { id: owner, sponsoredLamportsPerDay: null, sponsorsRent: false };
  const serve = (keys: (typeof stores)[number]): PaymentLinks => {
    const paymentLinks = keys.links;
    return new PaymentLinks({
      store: {
        insert: (link, bounds) => paymentLinks.insert(link, bounds),
        find: (id) => paymentLinks.find(id),
        list: (ownerId, page) => paymentLinks.list(ownerId, page),
        cancel: (id, at) => inTurn(() => paymentLinks.cancel(id, at)),
        noteHandedOut: (id, at, height) => inTurn(() => paymentLinks.noteHandedOut(id, at, height)),
        reserveRefund: (...asked) => inTurn(() => paymentLinks.reserveRefund(...asked)),
        noteRefund: (refund) => inTurn(() => paymentLinks.noteRefund(refund)),
        issue: (built) => inTurn(() => paymentLinks.issue(built)),
        findIssued: (...asked) => paymentLinks.findIssued(...asked),
        issueSponsored: (...asked) => inTurn(() => paymentLinks.issueSponsored(...asked)),
        findByReferences: (references) => paymentLinks.findByReferences(references),
        saveCheck: (id, check, describe) => inTurn(() => paymentLinks.saveCheck(id, check, describe)),
        listOwnerKeys: async () => [{ id: key.id, restrictions: { ...unrestricted, ...key } }],
      },
      reader: court.reader,
      history,
      builder: court.builder,
      sponsoring: sponsorAt(kora, () => clock.elapsed),
      describe: (stored, now) => linkJson(viewOf(stored, now), 'https://pay.example'),
      checksPerSecond: 1_000_000,
      checkTimeoutMs: 60_000,
      now: () => clock.now,
      elapsed: () => clock.elapsed,
    });
  };
  return {
    court,
    cluster,
    services: [serve(stores[0]), serve(stores[1])],
    refunds: [refund(stores[0]), refund(stores[1])],
    clock,
    kora,
    key,
    past,
    eventsOf: async (object) => {
      const events = await stores[0].webhooks.events.list(owner, { object, limit: 1_000 });
      return events.map(({ body }) => JSON.parse(body)).sort((one, other) => one.sequence - other.sequence);
    },
    close: async () => {
      for (const store of stores) await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A wallet that may pay a link. */
export interface Payer {
  name: PayerName;
  keypair: Keypair;
  tokenAccount: Address;
}

const tenSol = 10_000_000_000n;
const plenty = 2n ** 40n;

/** Writes the wallets of payers and what they have of the mint. `least` is what the cheaper link asks for. */
export async function writePayers(
  ledger: Ledger,
  situation: Situation,
  least: bigint,
): Promise<ReadonlyMap<PayerName, Payer>> {
  const { world, mint, tokenProgram } = situation;
  const payers = new Map<PayerName, Payer>();
  const holdings: Readonly<Record<PayerName, bigint | undefined>> = {
    rich: plenty,
    second: plenty,
    poor: least - 1n,
    without_account: undefined,
    without_lamports: plenty,
  };
  for (const name of Object.keys(holdings) as PayerName[]) {
    const keypair = keypairFromName(nameIn(world, `payer ${name}`));
    const owner = keypair.address;
    const [tokenAccount] = await findAssociatedTokenPda({ owner, mint, tokenProgram });
    const amount = holdings[name];
    if (amount !== undefined) {
      const fields = { address: tokenAccount, tokenProgram, mint, mintWorld: world.mint, owner, amount };
      writeTokenAccount(ledger, fields);
    }
    ledger.setAccount(account(owner, systemProgram, lamports(name === 'without_lamports' ? 1n : tenSol)));
    payers.set(name, { name, keypair, tokenAccount });
  }
  return payers;
}

/** What a token account holds, in base units; 0 where there is none. Of a wallet its lamports. */
export function balanceOf(ledger: Ledger, tokenAccount: Address): bigint {
  const { data, lamports: held = 0n } = ledger.getAccount(tokenAccount) ?? {};
  return data && data.length >= 72 ? Buffer.from(data).readBigUInt64LE(64) : held;
}
