import type { Worker } from 'node:cluster';
import type { SandboxEndpoint } from './start-sandbox.ts';

/** The first message of a worker: from now on it hears what it is told. */
interface HelloMessage {
  kind: 'hello';
}

/** The first message to a worker: what it is part of. */
export interface StartMessage {
  kind: 'start';
  /** The sandbox of the primary process; `null` on a real network. */
  sandbox: SandboxEndpoint | null;
  /** Whether the primary process serves metrics. */
  isMeasured: boolean;
}

/** Tells a worker to finish what is in flight and to end; it may come again, hurried. */
interface StopMessage {
  kind: 'stop';
  /** Whether to leave out the drain. */
  isHurried: boolean;
}

/** Asks a worker how many connections and requests have come since it began to stop. */
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

/** How many connections and requests have come to a worker since it began to stop. */
interface CountedMessage {
  kind: 'counted';
  arrivals: number;
}

/** A worker takes no new connection. */
interface ClosedMessage {
  kind: 'closed';
}

/** A worker takes requests. */
export interface ListeningMessage {
  kind: 'listening';
  url: string;
  hasActiveKey: boolean;
}

/** A worker cannot start, for a reason that people can mend. */
interface FailedMessage {
  kind: 'failed';
  message: string;
  /** The exit status that belongs to the reason. */
  status: number;
}

/** What the primary process says to a worker. */
export type MessageToWorker = StartMessage | StopMessage | CountMessage | CloseMessage | ReleaseMessage;
/** What a worker says to the primary process. */
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

/** Tells a message of ours from those of libraries on the same channel; what it holds is sure, as both ends run this code. */
export function isMessageToWorker(message: unknown): message is MessageToWorker {
  return kindsToWorker.includes(kindOf(message));
}

/** Tells a message of ours from those of libraries on the same channel; what it holds is sure, as both ends run this code. */
export function isMessageToPrimary(message: unknown): message is MessageToPrimary {
  return kindsToPrimary.includes(kindOf(message));
}

/** Says something to the primary process. */
export function tellPrimary(worker: Worker, message: MessageToPrimary): void {
  worker.send(message);
}

/** Says something to a worker; nothing happens when it is gone already, which its exit tells. */
export function tellWorker(worker: Worker, message: MessageToWorker): void {
  worker.send(message, () => undefined);
}

function kindOf(message: unknown): unknown {
  return typeof message === 'object' && message !== null && 'kind' in message ? message.kind : undefined;
}
