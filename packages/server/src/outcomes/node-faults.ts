import { UpstreamFault } from '../chain/upstream-faults.ts';

/** Whether a node does not take this kind of call. */
export function isRefused(error: unknown): boolean {
  return error instanceof UpstreamFault && error.kind === 'refused';
}
