import type { IncomingMessage } from 'node:http';
import { AppError } from '../../errors.ts';

/**
 * Passes the body of a request on once it is whole, or the error when it is larger than `limitBytes` or does not arrive.
 *
 * A body that arrives with its head is passed on as it is. Listening to the events of its stream costs as much as parsing it.
 */
export function receiveBody(
  request: IncomingMessage,
  limitBytes: number,
  receive: (body: Buffer | Error) => void,
): void {
  if (Number(request.headers['content-length']) > limitBytes) receive(tooLarge(limitBytes));
  else (request.complete ? takeWhole : collect)(request, limitBytes, receive);
}

function takeWhole(request: IncomingMessage, limitBytes: number, receive: (body: Buffer | Error) => void): void {
  const bytes: unknown = request.read();
  const body = Buffer.isBuffer(bytes) ? bytes : Buffer.alloc(0);
  receive(body.length > limitBytes ? tooLarge(limitBytes) : body);
}

function collect(request: IncomingMessage, limitBytes: number, receive: (body: Buffer | Error) => void): void {
  const chunks: Buffer[] = [];
  let length = 0;
  const settle = (body: Buffer | Error): void => {
    request.off('data', onData).off('end', onEnd).off('error', settle);
    receive(body);
  };
  const onData = (chunk: Buffer): void => {
    chunks.push(chunk);
    length += chunk.length;
    if (length > limitBytes) settle(tooLarge(limitBytes));
  };
  const onEnd = (): void => settle(Buffer.concat(chunks, length));
  request.on('data', onData).on('end', onEnd).on('error', settle);
}

function tooLarge(limitBytes: number): AppError {
  return new AppError(
    'body_too_large',
    `The body is larger than the ${limitBytes} bytes that this service takes. Send a smaller one.`,
  );
}
