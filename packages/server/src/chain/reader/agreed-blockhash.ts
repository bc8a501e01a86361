import type { Deadline } from '../chain-reader.ts';
import { agreementOnHeights, agreementOnKnown } from '../reads/agreement.ts';
import type { ReceivedBlockhash } from '../reads/blockhash-source.ts';
import { blockhashKnownRequest, blockhashRequest } from '../reads/chain-requests.ts';
import { disagreement } from '../upstream-faults.ts';
import type { UpstreamPool } from '../upstreams/upstream-pool.ts';

/**
 * Reads the latest blockhash; where several upstreams must agree, one that enough of them know.
 *
 * An answer at which `check` throws does not count. Throws an `UpstreamFault`, also when too few upstreams know any of the
 * offered blockhashes.
 */
export async function readAgreedBlockhash(
  pool: UpstreamPool,
  deadline: Deadline,
  check: (blockhash: ReceivedBlockhash) => void,
): Promise<ReceivedBlockhash> {
  const { quorum, size } = pool;
  // The upstreams that offered a blockhash that others do not know.
  const distrusted = new Set<string>();
  while (distrusted.size <= size - quorum) {
    let picked = '';
    const agreement = agreementOnHeights(distrusted, (upstream) => {
      picked = upstream;
    });
    const received = await pool.call(blockhashRequest(pool.head, check), agreement, deadline);
    if (quorum === 1) return received;
    const request = blockhashKnownRequest(received.blockhash, pool.head);
    if (await pool.call(request, agreementOnKnown(size), deadline)) return received;
    distrusted.add(picked);
  }
  throw disagreement(quorum, size);
}
