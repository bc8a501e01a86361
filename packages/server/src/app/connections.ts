import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The bounds of connections. */
export interface ConnectionLimits {
  /** How many connections may be open at the same time; a new one beyond that is closed at once. */
  maxConnections: number;
  /** How many bytes, over all connections, may wait for the reply to an earlier request of their connection. */
  maxWaitingBytes: number;
  /** How long a peer may take to read a reply. */
  maxReadingMs: number;
}

/** The bounds that close connections. */
export type ConnectionBound = 'max_connections' | 'waiting_bytes' | 'unread_reply';

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

interface Connection {
  socket: Socket;
  /** Gives bytes to Node's parser, which announces the requests in them before it returns. */
  parse: (bytes: Buffer) => void;
  /** The responses to the requests that were parsed, in their order. Only the first is being handled. */
  unanswered: ServerResponse[];
  /** The last request that was parsed. It may be answered before its body has arrived. */
  newest: IncomingMessage | undefined;
  /** Whether the newest says that it is the last one. */
  isLast: boolean;
  /** Whether the peer has sent more than could be parsed at once. From then on its bytes are read when they can be parsed. */
  isPipelined: boolean;
  waitingBytes: number;
  /** When the peer was first found not to have read the reply. */
  unreadSince: number | undefined;
  /** The last action, done once only `whenLeft` responses are left. */
  end: { whenLeft: number; act: () => void } | undefined;
}

// The end of every head, and of every chunked body.
const blankLine = Buffer.from('\r\n\r\n');

// A request takes at most two pieces, unless its body has blank lines or is chunked.
const maxPiecesInOneTurn = 16;
// Node makes an event of each chunk, and a chunk may have a single byte: a turn has one piece of these.
const maxChunkedPieceBytes = 1_024;
const maxBytesBehindHead = 1_024;

// Of what is thrown away, a piece is read so often over all connections, at most 32 MB a second, and the next one kept until then.
const discardEveryMs = 2;
const maxPieceBytes = 65_536;

/**
 * Handles one request at a time on each connection of a server, so that a peer that sends requests and does not read the
 * replies costs little, and for a short time.
 *
 * Later requests wait unparsed: at most 128 KiB of a connection, then TCP makes its peer wait. When too many bytes wait over all
 * connections, the connection with the most is closed. A connection that is ending has none, since what it still sends is
 * thrown away, slowly: a peer in a loop sends the less.
 */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #elapsed: () => number;
  readonly #onClosed: (bound: ConnectionBound) => void;
  readonly #connections = new Map<Socket, Connection>();
  /** Those that pipeline and can go on. One of them does in each turn of the event loop, so that they do not delay the rest. */
  readonly #ready = new Set<Connection>();
  /** Those whose bytes are thrown away, and that have sent some. A peer may read no reply before it has sent its whole request. */
  readonly #discarding = new Set<Socket>();
  #waitingBytes = 0;

  /** `elapsed` is a monotonic clock in milliseconds. `onClosed` is called for each connection that a bound closes. */
  constructor(limits: ConnectionLimits, elapsed: () => number, onClosed: (bound: ConnectionBound) => void) {
    this.#limits = limits;
    this.#elapsed = elapsed;
    this.#onClosed = onClosed;
  }

  /** How many received bytes, over all connections, wait for the reply to an earlier request of their connection. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** Takes over the connections of a server that has no request listener, and passes requests to `handle` one by one. */
  watch(server: Server, handle: Handle): void {
    server.maxConnections = this.#limits.maxConnections;
    // A peer that closes its half after the request still reads. Node has the property, its types do not.
    Object.assign(server, { httpAllowHalfOpen: true });
    server.on('connection', (socket: Socket) => this.#open(socket));
    server.on('drop', () => this.#onClosed('max_connections'));
    const take: Handle = (request, response) => this.#take(request, response, handle);
    server.on('request', take);
    // Node would refuse an Expect header it does not know, with an empty reply; a server may also disregard it.
    server.on('checkExpectation', take);
    // Node would ask for each body before its head was looked at: a refused one must not be sent.
    server.on('checkContinue', (request, response) => {
      request.once('resume', () => {
        if (!response.headersSent) response.writeContinue();
      });
      take(request, response);
    });
  }

  /**
   * Ends a connection by `act` once every request that was complete before is answered; at once when none is open.
   *
   * A connection that is already ending is left alone.
   */
  endAfterReplies(socket: Socket, act: () => void): void {
    const connection = this.#connections.get(socket);
    if (connection === undefined || connection.end) return;
    const newest = connection.unanswered.at(-1);
    // When the broken bytes are the body of the newest request, `act` is its answer.
    const isOfNewest = newest !== undefined && !newest.req.complete && !newest.writableEnded;
    connection.end = { whenLeft: isOfNewest ? 1 : 0, act };
    if (connection.unanswered.length <= connection.end.whenLeft) act();
    // What waits is read, to be thrown away.
    socket.resume();
  }

  /** Closes the connections of peers that did not read a reply in time. To be called about once a second. */
  closeUnread(): void {
    const now = this.#elapsed();
    for (const connection of this.#connections.values()) {
      const { socket, unanswered, end } = connection;
      const [first] = unanswered;
      if (!(first ?? socket).writableEnded) continue;
      connection.unreadSince ??= now;
      if (now - connection.unreadSince >= this.#limits.maxReadingMs) {
        if (end === undefined) this.#onClosed('unread_reply');
        socket.destroy();
      }
      // The rest of a body that was answered before it arrived. Node throws it away only when the reply is read.
      first?.req.resume();
    }
  }

  #open(socket: Socket): void {
    const [listener] = socket.listeners('data');
    if (listener === undefined) throw new Error('Node does not listen to a connection that it has accepted.');
    const connection: Connection = {
      socket,
      parse: (bytes) => Reflect.apply(listener, socket, [bytes]),
      unanswered: [],
      newest: undefined,
      isLast: false,
      isPipelined: false,
      waitingBytes: 0,
      unreadSince: undefined,
      end: undefined,
    };
    this.#connections.set(socket, connection);
    socket.removeAllListeners('data').on('data', (bytes) => this.#receive(connection, bytes));
    socket.on('close', () => {
      this.#connections.delete(socket);
      this.#discarding.delete(socket);
      this.#count(connection, 0);
    });
  }

  #receive(connection: Connection, bytes: Buffer): void {
    let start = 0;
    let step = nextStep(connection);
    for (let count = 0; count < maxPiecesInOneTurn && start < bytes.length && step === 'parse'; count++) {
      const end = endOfPiece(bytes, start, connection.newest);
      connection.parse(bytes.subarray(start, end));
      start = end;
      step = nextStep(connection);
      if (isInChunks(connection.newest)) break;
    }
    if (start === bytes.length) return;
    const { socket } = connection;
    if (step === 'discard') {
      this.#pauseDiscarded(socket);
      return;
    }
    if (!connection.isPipelined) {
      connection.isPipelined = true;
      const readOn = (): void => this.#readOn(connection);
      // A stream announces what arrives from here on, instead of handing it out. Node resumes it to have the rest of a body.
      socket.removeAllListeners('data').on('readable', readOn).on('resume', readOn);
    }
    const rest = bytes.subarray(start);
    // A small part is copied, because it would keep all of what was read in memory.
    socket.unshift(rest.length < bytes.buffer.byteLength / 2 ? Buffer.from(rest) : rest);
  }

  #readOn(connection: Connection): void {
    const { socket } = connection;
    if (socket.destroyed) return;
    const step = nextStep(connection);
    if (step === 'parse' && socket.readableLength > 0) {
      if (this.#ready.size === 0) setImmediate(() => this.#parseNext());
      this.#ready.add(connection);
    } else if (step === 'discard') {
      connection.isPipelined = false;
      socket.removeAllListeners('readable').removeAllListeners('resume');
      socket.on('data', () => this.#pauseDiscarded(socket));
    } else if (socket.readableLength === 0) {
      // Reading nothing tells the stream that its end was seen.
      socket.read();
    }
    this.#count(connection, step === 'discard' ? 0 : socket.readableLength);
    if (this.#waitingBytes > this.#limits.maxWaitingBytes) this.#closeLargest();
  }

  #parseNext(): void {
    const [connection] = this.#ready;
    if (connection === undefined) return;
    this.#ready.delete(connection);
    if (this.#ready.size > 0) setImmediate(() => this.#parseNext());
    const bytes: unknown = connection.socket.read();
    if (Buffer.isBuffer(bytes)) this.#receive(connection, bytes);
    this.#readOn(connection);
  }

  #pauseDiscarded(socket: Socket): void {
    socket.pause();
    const [first] = this.#discarding;
    if (first === undefined) setTimeout(() => this.#discardNext(), discardEveryMs);
    else if (this.#discarding.size * maxPieceBytes >= this.#limits.maxWaitingBytes) {
      this.#onClosed('waiting_bytes');
      this.#discarding.delete(first);
      first.destroy();
    }
    this.#discarding.add(socket);
  }

  #discardNext(): void {
    const [socket] = this.#discarding;
    if (socket === undefined) return;
    this.#discarding.delete(socket);
    if (this.#discarding.size > 0) setTimeout(() => this.#discardNext(), discardEveryMs);
    socket.resume();
  }

  #count(connection: Connection, bytes: number): void {
    this.#waitingBytes += bytes - connection.waitingBytes;
    connection.waitingBytes = bytes;
  }

  #closeLargest(): void {
    let [largest] = this.#connections.values();
    for (const connection of this.#connections.values()) {
      if (largest && connection.waitingBytes > largest.waitingBytes) largest = connection;
    }
    if (largest === undefined) return;
    this.#onClosed('waiting_bytes');
    this.#count(largest, 0);
    largest.socket.destroy();
  }

  #take(request: IncomingMessage, response: ServerResponse, handle: Handle): void {
    const connection = this.#connections.get(request.socket);
    if (connection === undefined || connection.socket.destroyed) return;
    // Node drops the rest of what it was given behind such a request, which may be in the middle of the next one.
    if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
    connection.newest = request;
    connection.isLast = !response.shouldKeepAlive;
    connection.unanswered.push(response);
    response.on('close', () => this.#answered(connection, handle));
    if (connection.unanswered.length === 1) process.nextTick(() => this.#handle(connection, handle));
  }

  /** Passes on the first request, with what Node has parsed of its body. */
  #handle({ socket, unanswered }: Connection, handle: Handle): void {
    const [response] = unanswered;
    if (response === undefined) return;
    const { req: request, shouldKeepAlive } = response;
    if (!request.complete && shouldKeepAlive) {
      // A reply before the body has arrived is the last: the rest is thrown away unparsed, until the peer has read the reply.
      response.shouldKeepAlive = false;
      socket.destroySoon = () => socket.end();
      request.once('end', () => {
        response.shouldKeepAlive = true;
      });
    }
    handle(request, response);
  }

  #answered(connection: Connection, handle: Handle): void {
    const { socket, unanswered, end } = connection;
    if (socket.destroyed) return;
    unanswered.shift();
    connection.unreadSince = undefined;
    const [next] = unanswered;
    if (unanswered.length === end?.whenLeft) end.act();
    else if (next) this.#handle(connection, handle);
    if (connection.isPipelined) this.#readOn(connection);
  }
}

function nextStep({ socket, unanswered, newest, isLast, end }: Connection): 'parse' | 'wait' | 'discard' {
  if (end || socket.destroyed || socket.writableEnded) return 'discard';
  const [first] = unanswered;
  if (first === undefined) return 'parse';
  if (first.req.complete) return isLast && newest?.complete ? 'discard' : 'wait';
  // Node pauses its parser at a request that comes before so large a reply is read. It ends the process when it is given bytes then.
  if (socket.writableNeedDrain) return 'wait';
  return first.req.readableLength < first.req.readableHighWaterMark ? 'parse' : 'wait';
}

/**
 * Returns where the next piece to parse ends: after the first blank line, or with the last byte when no other follows.
 *
 * Node parses everything that it is given, and one read can have 3,000 requests; a piece has the end of one or two heads. Whether a body
 * is chunked is known once its head is parsed.
 */
function endOfPiece(bytes: Buffer, start: number, request: IncomingMessage | undefined): number {
  const found = bytes.indexOf(blankLine, start);
  const behind = found === -1 ? bytes.length : found + blankLine.length;
  if (isInChunks(request)) return Math.min(behind, start + maxChunkedPieceBytes);
  const isLast = !bytes.includes(blankLine, behind);
  return isLast && (request?.complete === false || bytes.length - behind <= maxBytesBehindHead) ? bytes.length : behind;
}

/** Whether the bytes to come are of a body in chunks. */
function isInChunks(request: IncomingMessage | undefined): boolean {
  return request?.complete === false && request.headers['transfer-encoding'] !== undefined;
}
