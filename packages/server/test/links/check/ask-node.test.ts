import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Work } from '../../../src/app/work.ts';
import {
  askNode,
  type ExaminedTransactions,
  type LinkQuestion,
  type NodeReport,
} from '../../../src/links/check/ask-node.ts';
import type { LinkView } from '../../../src/links/link-view.ts';
import type { LinkPayment } from '../../../src/links/records/payment-link.ts';
import { LedgerNodeHistory, type NodeFaults } from '../../outcomes/ledger-node-history.ts';
import { LinkScene } from '../link-scene.ts';

const scene = await LinkScene.open();
const { ledger } = scene;
const { links } = scene.serve();

/** A node with these faults. */
function nodeWith(faults: Partial<NodeFaults>): LedgerNodeHistory {
  return new LedgerNodeHistory(ledger, 'upstream_1', faults);
}

/** What a node with these faults, or this one, says of a link. */
function ask(
  view: LinkView,
  node: LedgerNodeHistory | Partial<NodeFaults>,
  changes: Partial<LinkQuestion> = {},
): Promise<NodeReport> {
  const question: LinkQuestion = {
    link: view.link,
    stored: new Map(),
    settlesAtSlot: undefined,
    minSlot: 0n,
    examined: new Map(),
    findLinks: async () => [],
    ...changes,
  };
  return askNode(node instanceof LedgerNodeHistory ? node : nodeWith(node), question, new Work());
}

/** A node that lists more and more transactions, which failed. */
function endless(): LedgerNodeHistory {
  const node = nodeWith({});
  const entry = { slot: 7n, error: 'AccountInUse', memo: null, blockTime: null, commitment: 'finalized' } as const;
  node.readSignatures = async (_address, { before = '0' }) =>
    Array.from({ length: 1_000 }, (_entry, index) => ({ ...entry, signature: String(Number(before) + 1 + index) }));
  return node;
}

/** A link, and a payment of it that is stored and not final. */
async function paidLink(): Promise<{ view: LinkView; payment: LinkPayment; stored: LinkQuestion['stored'] }> {
  const view = await scene.create(links);
  await scene.send(view);
  const { payments } = await scene.look(links, view);
  const [payment] = payments;
  assert.ok(payment);
  return { view, payment, stored: new Map([[payment.signature, payment]]) };
}

describe('a node has the full history of a link', () => {
  it('when it has kept everything from the slot in which the link was made', async () => {
    const view = await scene.create(links);
    ledger.advanceSlots(100);
    for (const [firstSlot, hasFullHistory] of [
      [view.link.createdSlot, true],
      [view.link.createdSlot + 1n, false],
    ] as const) {
      assert.equal((await ask(view, { firstSlot }, { settlesAtSlot: ledger.slot() })).hasFullHistory, hasFullHistory);
    }
  });

  it('when all that it lists is final, and only where the link shall be settled', async () => {
    const view = await scene.create(links);
    scene.spam(view);
    ledger.advanceSlots(31);
    assert.equal((await ask(view, {}, { settlesAtSlot: ledger.slot() })).hasFullHistory, false);
    ledger.advanceSlots(1);
    assert.equal((await ask(view, {}, { settlesAtSlot: ledger.slot() })).hasFullHistory, true);
    assert.equal((await ask(view, {})).hasFullHistory, false);
  });

  it('not when its list has no end', async () => {
    const view = await scene.create(links);
    scene.finalize();
    const { isWhole, hasFullHistory } = await ask(view, endless(), { settlesAtSlot: ledger.slot() });
    assert.deepEqual([isWhole, hasFullHistory], [false, false]);
  });
});

describe('a node denies a stored payment', () => {
  const deniedBy = async (
    { view, stored }: Awaited<ReturnType<typeof paidLink>>,
    node: LedgerNodeHistory | Partial<NodeFaults>,
  ): Promise<readonly string[]> => [...(await ask(view, node, { stored })).denied];

  it('that is not there, once the slot in which it was is final', async () => {
    const paid = await paidLink();
    const omitted = new Set([paid.payment.signature]);
    ledger.advanceSlots(Number(paid.payment.slot + 31n - ledger.slot()));
    assert.deepEqual(await deniedBy(paid, { omitted }), []);
    ledger.advanceSlots(1);
    assert.deepEqual(await deniedBy(paid, { omitted }), [...omitted]);
    assert.deepEqual(await deniedBy(paid, {}), []);
  });

  it('that is there and failed, once that is final', async () => {
    const paid = await paidLink();
    const { signature } = paid.payment;
    const error = { InstructionError: [0, 'Custom'] };
    const failedOnAnotherFork = async (commitment: 'confirmed' | 'finalized'): Promise<readonly string[]> => {
      const node = nodeWith({
        changeEntries: (entries) => entries.map((entry) => ({ ...entry, error, commitment })),
      });
      const { readStatuses } = node;
      node.readStatuses = async (...asked) => {
        const { slot, statuses } = await readStatuses.apply(node, asked);
        return { slot, statuses: statuses.map((status) => status && { ...status, error }) };
      };
      return deniedBy(paid, node);
    };
    scene.finalize();
    assert.deepEqual(await failedOnAnotherFork('confirmed'), []);
    assert.deepEqual(await failedOnAnotherFork('finalized'), [signature]);
  });

  it('not when it lists it, whatever its statuses say', async () => {
    const paid = await paidLink();
    scene.finalize();
    const node = nodeWith({});
    node.readStatuses = async () => ({ slot: ledger.slot(), statuses: [null] });
    assert.deepEqual(await deniedBy(paid, node), []);
  });

  it('not when its list has no end', async () => {
    const paid = await paidLink();
    scene.finalize();
    const node = endless();
    node.faults.omitted = new Set([paid.payment.signature]);
    assert.deepEqual(await deniedBy(paid, node), []);
  });
});

it('a node that has not reached the slot that is asked for does not answer, whether something is stored or not', async () => {
  const { view, stored } = await paidLink();
  const minSlot = ledger.slot();
  for (const changes of [{ minSlot }, { minSlot, stored }]) {
    await assert.rejects(ask(view, { lagSlots: 1 }, changes), /has not reached the slot/);
    assert.equal((await ask(view, {}, changes)).payments.size, 1);
  }
});

describe('the transactions of a link that are read at a node', () => {
  it('are 20 a check: the ten newest, and the ten oldest that were not read before', async () => {
    const view = await scene.create(links);
    for (let index = 0; index < 45; index += 1) scene.spam(view);
    const newestFirst = ledger.transactionRecordsOf(view.link.reference).map(({ signature }) => signature);
    const examined: ExaminedTransactions = new Map();
    const read: string[] = [];
    const before: NodeFaults['before'] = (method, subject) => void (method === 'readTransaction' && read.push(subject));
    const first = await ask(view, { before }, { examined });
    const [newest, middle, oldest] = [newestFirst.slice(0, 10), newestFirst.slice(10, 35), newestFirst.slice(35)];
    assert.deepEqual(new Set(read), new Set([...newest, ...oldest]));
    assert.deepEqual([first.open, first.hidesSome], [new Set(middle), false]);
    read.length = 0;
    const second = await ask(view, { before }, { examined });
    assert.deepEqual(new Set(read), new Set([...middle.slice(0, 10), ...middle.slice(-10)]));
    assert.equal(second.open.size, 5);
    assert.equal((await ask(view, {}, { examined })).open.size, 0);
  });

  it('stay open where the node cannot show them', async () => {
    const view = await scene.create(links);
    const lost = new Set([await scene.send(view)]);
    const { open, hidesSome, payments } = await ask(view, { lost });
    assert.deepEqual([open, hidesSome, payments.size], [lost, true, 0]);
  });
});
