import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { TurnQueue } from './turn-queue.ts';

/** The bounds of what connections may keep waiting. */
export interface ConnectionLimits {
  /** How many connections may be open at the same time; more are closed at once. */
  maxConnections: number;
  /** How many requests of one connection are handled before their replies are read; later ones wait. */
  maxHandledPerConnection: number;
  /** How many requests, over all connections, may wait for the reply of an earlier one on their connection. */
  maxPipelined: number;
  /** How many bytes, over all connections, may be received and not parsed because earlier requests wait for their replies. */
  maxHeldBytes: number;
  /** How long a peer may take to read a reply. */
  maxReadingMs: number;
}

/** How many connections were closed by a bound, by the bound. */
export type ClosedConnections = Record<'stalled' | 'pipelined' | 'dropped', number>;

// More than most transfers take, and some forty of the shortest requests.
const maxSliceBytes = 1_024;

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

interface Connection {
  socket: Socket;
  /** The responses that are not completely handed to the system, in the order of their requests. */
  unanswered: ServerResponse[];
  /** How many bytes were received and are not parsed yet. */
  heldBytes: number;
  /** Whether what was received waits for replies that the peer has to take first. */
  isHeld: boolean;
  /** What the peer had not read at the last check, and since when. */
  untaken: ServerResponse | Socket | undefined;
  untakenSince: number;
  /** The last action, to be done once only `whenLeft` responses are left. No more requests are handled then. */
  end: { whenLeft: number; act: () => void } | undefined;
}

/**
 * Limits every connection of a server, so that a peer that sends requests and does not read costs little, and for a short time.
 *
 * Node parses all of one read at once, up to 64 KiB or 2,000 requests, and answers them in order. Here it gets slices of a read,
 * and no further slice while a few replies wait to be read. Each connection has only a few requests handled at a time; the
 * others follow as replies are read. Once all connections together have too many requests or bytes waiting, a connection that
 * adds to them is closed.
 */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #elapsed: () => number;
  readonly #connections = new Map<Socket, Connection>();
  #pipelined = 0;
  #heldBytes = 0;
  /** Over all connections: a peer that does not pipeline never waits for more than one pipelined request. */
  readonly #ready = new TurnQueue();
  #closed: ClosedConnections = { stalled: 0, pipelined: 0, dropped: 0 };

  /** `elapsed` is a monotonic clock in milliseconds. */
  constructor(limits: ConnectionLimits, elapsed: () => number) {
    this.#limits = limits;
    this.#elapsed = elapsed;
  }

  /** How many requests wait for an earlier one of their connection. */
  get pipelined(): number {
    return this.#pipelined;
  }

  /** Holds the connections of a server that has no request listener, and passes requests to `handle` as the bounds allow. */
  watch(server: Server, handle: Handle): void {
    server.maxConnections = this.#limits.maxConnections;
    // A peer that closes its half after the request still reads. Node has the property, its types do not.
    Object.assign(server, { httpAllowHalfOpen: true });
    server.on('connection', (socket: Socket) => this.#open(socket));
    server.on('drop', () => {
      this.#closed.dropped += 1;
    });
    const take: Handle = (request, response) => this.#take(request, response, handle);
    server.on('request', take);
    // Node would refuse an Expect header it does not know, with an empty reply; a server may also disregard it.
    server.on('checkExpectation', take);
  }

  /**
   * Ends a connection by `act` once every request that was complete before is answered; at once when none is open.
   *
   * A connection that is already ending is left alone.
   */
  endAfterReplies(socket: Socket, act: () => void): void {
    const connection = this.#connections.get(socket);
    if (connection === undefined) {
      act();
      return;
    }
    const newest = connection.unanswered.at(-1);
    // When the broken bytes are the body of the newest request, `act` is its answer.
    const isOfNewest = newest !== undefined && !newest.req.complete && !newest.writableEnded;
    endWhenLeft(connection, isOfNewest ? 1 : 0, act);
  }

  /** Closes the connections of peers that did not read a reply in time. To be called about once a second. */
  closeStalled(): void {
    const now = this.#elapsed();
    for (const connection of this.#connections.values()) {
      const { socket } = connection;
      const oldest = connection.unanswered[0] ?? socket;
      if (!oldest.writableEnded) {
        connection.untaken = undefined;
      } else if (connection.untaken !== oldest) {
        connection.untaken = oldest;
        connection.untakenSince = now;
      } else if (now - connection.untakenSince >= this.#limits.maxReadingMs) {
        if (connection.end === undefined) this.#closed.stalled += 1;
        socket.destroy();
      }
    }
  }

  /** Returns how many connections a bound has closed since the last call, or `undefined` when none. */
  takeClosed(): ClosedConnections | undefined {
    const closed = this.#closed;
    if (closed.stalled + closed.pipelined + closed.dropped === 0) return undefined;
    this.#closed = { stalled: 0, pipelined: 0, dropped: 0 };
    return closed;
  }

  #open(socket: Socket): void {
    const connection: Connection = {
      socket,
      unanswered: [],
      heldBytes: 0,
      isHeld: false,
      untaken: undefined,
      untakenSince: 0,
      end: undefined,
    };
    this.#connections.set(socket, connection);
    // A stream that is listened to for `readable` hands out what is asked for: Node's parser gets slices, and neither Node's pauses
    // nor its resumes, of which there is one after each request, change what is read.
    socket.on('readable', () => this.#readOn(connection));
    socket.on('close', () => {
      this.#connections.delete(socket);
      this.#pipelined -= Math.max(0, connection.unanswered.length - 1);
      connection.unanswered.length = 0;
      this.#hold(connection, 0);
    });
  }

  #readOn(connection: Connection): void {
    const { socket, unanswered, end } = connection;
    if (socket.destroyed) return;
    const isFull =
      end !== undefined || unanswered.length > this.#limits.maxHandledPerConnection || hasUntakenBytes(connection);
    connection.isHeld = isFull;
    // A read of nothing tells the stream that its end was seen.
    if (!isFull) socket.read(Math.min(socket.readableLength, maxSliceBytes) || undefined);
    const { readableLength } = socket;
    if (readableLength === 0 && connection.heldBytes === 0) return;
    this.#hold(connection, readableLength);
    if (this.#heldBytes > this.#limits.maxHeldBytes) this.#closeGreedy(socket);
    // In a turn of its own, so that other connections get theirs.
    else if (!isFull && readableLength > 0) setImmediate(() => this.#readOn(connection));
  }

  #hold(connection: Connection, bytes: number): void {
    this.#heldBytes += bytes - connection.heldBytes;
    connection.heldBytes = bytes;
  }

  #take(request: IncomingMessage, response: ServerResponse, handle: Handle): void {
    const connection = this.#connections.get(request.socket);
    // A request in the same slice, parsed after the connection was closed.
    if (connection === undefined || connection.socket.destroyed) return;
    const { socket, unanswered } = connection;
    unanswered.push(response);
    response.on('close', () => this.#answered(connection, handle));
    if (unanswered.length === 1) {
      handle(request, response);
      return;
    }
    this.#pipelined += 1;
    if (this.#pipelined > this.#limits.maxPipelined) this.#closeGreedy(socket);
    else if (unanswered.length <= this.#limits.maxHandledPerConnection) this.#handleLater(response, handle);
  }

  #answered(connection: Connection, handle: Handle): void {
    const { socket, unanswered, end } = connection;
    // Its `close` event subtracts its counts.
    if (socket.destroyed) return;
    unanswered.shift();
    if (unanswered.length > 0) this.#pipelined -= 1;
    const next = unanswered[this.#limits.maxHandledPerConnection - 1];
    if (next) this.#handleLater(next, handle);
    else if (unanswered.length === end?.whenLeft) end.act();
    if (connection.isHeld) this.#readOn(connection);
  }

  #handleLater(response: ServerResponse, handle: Handle): void {
    this.#ready.add(() => {
      if (!response.req.socket.destroyed) handle(response.req, response);
    });
  }

  #closeGreedy(socket: Socket): void {
    this.#closed.pipelined += 1;
    socket.destroy();
  }
}

/**
 * Whether the peer leaves so many bytes of replies that Node has paused its parser, or would pause it at the next request.
 *
 * A parser that is paused ends the process when it is given bytes.
 */
function hasUntakenBytes({ socket, unanswered }: Connection): boolean {
  const bytes = unanswered.reduce((sum, { writableLength }) => sum + writableLength, 0);
  return socket.writableNeedDrain || bytes >= socket.writableHighWaterMark;
}

function endWhenLeft(connection: Connection, whenLeft: number, act: () => void): void {
  if (connection.end) return;
  connection.end = { whenLeft, act };
  if (connection.unanswered.length <= whenLeft) act();
}
