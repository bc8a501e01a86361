import type { Worker } from 'node:cluster';
import type { RecordCounts } from '../store/ledger-store.ts';
import type { SandboxEndpoint } from './start-sandbox.ts';

/** The first message of a worker: from now on it receives messages. */
interface HelloMessage {
  kind: 'hello';
}

/** The first message to a worker, with the parts that it shares. */
export interface StartMessage {
  kind: 'start';
  /** The sandbox of the primary process; `null` on a real network. */
  sandbox: SandboxEndpoint | null;
  /** Whether the primary process serves metrics. */
  isMeasured: boolean;
}

/** Tells a worker to finish the requests in flight and to end; it may be sent again, hurried. */
interface StopMessage {
  kind: 'stop';
  /** Whether to leave out the drain. */
  isHurried: boolean;
}

/** Asks a worker how many connections and requests have arrived since it began to stop. */
interface CountMessage {
  kind: 'count';
}

/** Tells a worker that holds its replies back to close its listener. */
interface CloseMessage {
  kind: 'close';
}

/** Tells a worker whose listener is closed to send its replies. */
interface ReleaseMessage {
  kind: 'release';
}

/** A worker has drained, and holds its replies back. */
interface HoldingMessage {
  kind: 'holding';
}

/** How many connections and requests have arrived at a worker since it began to stop. */
interface CountedMessage {
  kind: 'counted';
  arrivals: number;
}

/** A worker no longer accepts connections. */
interface ClosedMessage {
  kind: 'closed';
}

/** A worker accepts requests. */
export interface ListeningMessage {
  kind: 'listening';
  url: string;
  hasActiveKey: boolean;
  otherLedgers: RecordCounts;
}

/** A worker cannot start, for a reason that the operator can fix. */
interface FailedMessage {
  kind: 'failed';
  message: string;
  /** The exit status that belongs to the reason. */
  status: number;
}

/** A message of the primary process to a worker. */
export type MessageToWorker = StartMessage | StopMessage | CountMessage | CloseMessage | ReleaseMessage;
/** A message of a worker to the primary process. */
export type MessageToPrimary =
  | HelloMessage
  | ListeningMessage
  | FailedMessage
  | HoldingMessage
  | CountedMessage
  | ClosedMessage;

const kindsToWorker: readonly unknown[] = [
  'start',
  'stop',
  'count',
  'close',
  'release',
] satisfies MessageToWorker['kind'][];
const kindsToPrimary: readonly unknown[] = [
  'hello',
  'listening',
  'failed',
  'holding',
  'counted',
  'closed',
] satisfies MessageToPrimary['kind'][];

/** Tells our messages from those of libraries on the same channel; the contents need no check, since both ends run this code. */
export function isMessageToWorker(message: unknown): message is MessageToWorker {
  return kindsToWorker.includes(kindOf(message));
}

/** Tells our messages from those of libraries on the same channel; the contents need no check, since both ends run this code. */
export function isMessageToPrimary(message: unknown): message is MessageToPrimary {
  return kindsToPrimary.includes(kindOf(message));
}

/** Sends a message to the primary process. */
export function tellPrimary(worker: Worker, message: MessageToPrimary): void {
  worker.send(message);
}

/** Sends a message to a worker; nothing happens when it has ended, which its `exit` event reports. */
export function tellWorker(worker: Worker, message: MessageToWorker): void {
  worker.send(message, () => undefined);
}

function kindOf(message: unknown): unknown {
  return typeof message === 'object' && message !== null && 'kind' in message ? message.kind : undefined;
}
