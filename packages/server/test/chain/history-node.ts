import type { TestContext } from 'node:test';
import {
  type Behaviour,
  type RpcCall,
  resultOf,
  rpcError,
  startFakeUpstream,
} from '../../../../test/setup/fake-upstream.ts';
import { toAddress } from '../../../core/src/addresses/address.ts';
import type { NodeHistory } from '../../src/chain/chain-history.ts';
import { RpcChainReader } from '../../src/chain/rpc-chain-reader.ts';
import { recordedCalls } from './recorded.ts';

/** An address and a signature, whatever they are of. */
export const anyAddress = toAddress('1'.repeat(32));
export const anySignature = '1'.repeat(64);

/** What a node answers to each method: a result, or an error with this code. */
export type Answers = Record<string, (params: readonly unknown[]) => unknown>;

/** An error to answer with. */
export class RpcFailure {
  readonly code: number;

  constructor(code: number) {
    this.code = code;
  }
}

/** A node that answers as told, and to other methods as the recorded node did. */
export function answering(answers: Answers): Behaviour {
  return (call, response) => {
    const answer = answers[call.method]?.(call.params) ?? recordedCalls.find(({ method }) => method === call.method);
    if (answer instanceof RpcFailure) rpcError(answer.code)(call, response);
    else resultOf(() => (isRecorded(answer) ? answer.result : answer))(call, response);
  };
}

const isRecorded = (answer: unknown): answer is { result: unknown } =>
  typeof answer === 'object' && answer !== null && 'result' in answer;

/** A reader of one fake node whose clock the test moves, and the history of the node. */
export async function startHistory(t: TestContext, answers: Answers, options: { timeoutMs?: number } = {}) {
  const clock = { ahead: 0 };
  const upstream = await startFakeUpstream(t, answering(answers));
  const reader = new RpcChainReader({
    urls: [upstream.url],
    timeoutMs: 2_000,
    now: () => performance.now() + clock.ahead,
    ...options,
  });
  t.after(() => reader.close());
  const [node] = reader.history.nodes();
  if (!node) throw new Error('the reader has no node');
  /** The calls of a method so far. */
  const callsOf = (method: string): readonly RpcCall[] => upstream.calls.filter((call) => call.method === method);
  return { clock, upstream, reader, node, callsOf };
}

/** One read of each kind, so that a test can make them all. */
export const everyRead: readonly ((node: NodeHistory, deadline: number) => Promise<unknown>)[] = [
  (node, deadline) => node.readFinalizedHeight(deadline),
  (node, deadline) => node.readFirstAvailableSlot(deadline),
  (node, deadline) => node.readStatuses([anySignature], deadline),
  (node, deadline) => node.readSignatures(anyAddress, {}, deadline),
  (node, deadline) => node.readTransaction(anySignature, deadline),
  (node, deadline) => node.readBlockHeight(500n, deadline),
  (node, deadline) => node.readNonce(anyAddress, deadline),
  (node, deadline) => node.isBlockhashAlive(anyAddress, deadline),
];
