import { pino } from 'pino';

/** Where a process writes its log. */
export interface Log {
  /** Writes a line, with its line break, within a tenth of a second. */
  write(line: string): void;
  /** Writes what is pending, for a second at most; nothing may be written afterwards. */
  end(): void;
}

/** How to write a log, and what to report. */
export interface LogOptions {
  /** Whether a person reads it: its lines are then not JSON. */
  isTerminal: boolean;
  /** Called with the number of dropped lines once lines are written again. */
  onResume: (droppedLines: number) => void;
}

const retriesAtEnd = 10;

/**
 * Opens the log on a file descriptor.
 *
 * A reader that stalls or goes away does no harm: up to a megabyte is kept for it, and what comes beyond is dropped.
 */
export async function openLog(fd: number | string, { isTerminal, onResume }: LogOptions): Promise<Log> {
  const format = isTerminal ? await terminalFormat() : (line: string) => line;
  let droppedLines = 0;
  let retriesLeft = 0;
  const destination = pino.destination({
    dest: fd,
    sync: true,
    minLength: 3840,
    // A write to a pipe of up to this many bytes is never mixed with those of other processes (`PIPE_BUF` on Linux).
    maxWrite: 4096,
    maxLength: 1_048_576,
    periodicFlush: 100,
    // A reader that stalls is tried again at the next flush, and not waited for, but for a moment at the end.
    retryEAGAIN: () => retriesLeft-- > 0,
  });
  // The next flush tries again; without a listener the event would end the process.
  destination.on('error', () => undefined);
  destination.on('drop', () => {
    droppedLines += 1;
  });
  destination.on('drain', () => {
    const dropped = droppedLines;
    droppedLines = 0;
    if (dropped > 0) onResume(dropped);
  });
  return {
    write: (line) => void destination.write(format(line)),
    end: () => {
      retriesLeft = retriesAtEnd;
      destination.end();
    },
  };
}

/** Returns what makes a line readable. Loaded only for a terminal. */
async function terminalFormat(): Promise<(line: string) => string> {
  const { prettyFactory } = await import('pino-pretty');
  const pretty = prettyFactory({
    translateTime: 'SYS:HH:MM:ss',
    ignore: 'pid,hostname,method,route,status,milliseconds',
    messageFormat: '{msg}{if route} {method} {route} {status} in {milliseconds} ms{end}',
    singleLine: true,
  });
  // An escape character in a text must not reach the terminal.
  return (line) => String(pretty(line.replaceAll('\\u001b', '␛')) ?? line);
}
