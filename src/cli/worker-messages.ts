import type { Worker } from 'node:cluster';
import type { LeaseAnswer, LeaseQuestion } from '../limits/message-lease-source.ts';
import type { SandboxEndpoint } from './start-sandbox.ts';

/** The first message of a worker: from now on it hears what it is told. */
interface HelloMessage {
  readonly kind: 'hello';
}

/** The first message to a worker: what it is part of. */
export interface StartMessage {
  readonly kind: 'start';
  /** How many workers there are. */
  readonly workers: number;
  /** The sandbox of the primary process; `null` on a real network. */
  readonly sandbox: SandboxEndpoint | null;
  /** Whether the primary process serves metrics. */
  readonly isMeasured: boolean;
}

/** Tells a worker to finish what is in flight and to end. */
interface StopMessage {
  readonly kind: 'stop';
}

/** A worker takes requests. */
export interface ListeningMessage {
  readonly kind: 'listening';
  readonly url: string;
  readonly hasActiveKey: boolean;
}

/** A worker cannot start, for a reason that people can mend. */
interface FailedMessage {
  readonly kind: 'failed';
  readonly message: string;
  /** The exit status that belongs to the reason. */
  readonly status: number;
}

/** What the primary process says to a worker. */
export type MessageToWorker = StartMessage | StopMessage | LeaseAnswer;
/** What a worker says to the primary process. */
export type MessageToPrimary = HelloMessage | ListeningMessage | FailedMessage | LeaseQuestion;

const kindsToWorker: readonly unknown[] = ['start', 'stop', 'leased'] satisfies MessageToWorker['kind'][];
const kindsToPrimary: readonly unknown[] = [
  'hello',
  'listening',
  'failed',
  'lease',
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
