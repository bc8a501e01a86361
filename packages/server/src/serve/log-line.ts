import { pino } from 'pino';
import { visibleText } from '../app/visible-text.ts';

/**
 * Writes a line of the log, which is JSON, for a person at a terminal: time, level, message, and what else it names.
 *
 * Returns a line that is not JSON as it is.
 */
export function formatLogLine(line: string): string {
  let record: unknown;
  try {
    record = JSON.parse(line);
  } catch {
    return line;
  }
  const { level, time, msg, pid: _pid, hostname: _hostname, err, ...members } = Object(record);
  const clock = new Date(Number(time)).toTimeString().slice(0, 8);
  const label = pino.levels.labels[Number(level)] ?? '';
  const text = [msg === 'request' ? describeReply(members) : textOf(msg), ...describeMembers(members)].join('  ');
  const stack = err === undefined ? [] : textOf(Object(err).stack ?? err).split('\n');
  return [`${clock} ${label.padEnd(5)} ${text}`, ...stack.map((each) => `  ${each}`)]
    .map((each) => `${visibleText(each)}\n`)
    .join('');
}

const membersOfReply: readonly string[] = ['method', 'route', 'status', 'milliseconds'];

function describeReply({ method, route, status, milliseconds }: Record<string, unknown>): string {
  return `${textOf(method)} ${textOf(route)} ${textOf(status)} in ${textOf(milliseconds)} ms`;
}

function describeMembers(members: Record<string, unknown>): readonly string[] {
  const rest = Object.entries(members).filter(([name]) => !membersOfReply.includes(name));
  return rest.map(([name, value]) => `${name}=${textOf(value)}`);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
