import { type Finding, findTokensElsewhere, isEmptySender, withTokensElsewhere } from 'splwright-core';
import type { ChainReader, Deadline } from '../chain/chain-reader.ts';
import { UpstreamFault } from '../chain/upstream-faults.ts';

/** Every reason for which a transfer is refused. */
export type Findings = readonly [Finding, ...Finding[]];

/**
 * Returns the findings of a refusal, which name the sender's tokens in another of its token accounts where there are any.
 *
 * One call, only where the sender's own token account holds nothing. When the chain cannot be asked, the findings are as they were.
 */
export async function lookElsewhere(
  findings: Findings,
  reader: Pick<ChainReader, 'readTokenAccounts'>,
  deadline: Deadline,
): Promise<Findings> {
  const empty = findings.find(isEmptySender);
  if (!empty) return findings;
  const { wallet, mint } = empty.context;
  const accounts = await reader.readTokenAccounts(wallet, mint, deadline).catch((error: unknown) => {
    if (error instanceof UpstreamFault) return undefined;
    throw error;
  });
  const elsewhere = accounts && findTokensElsewhere(empty.context, accounts);
  if (!elsewhere) return findings;
  const named = (finding: Finding): Finding => (finding === empty ? withTokensElsewhere(empty, elsewhere) : finding);
  const [first, ...others] = findings;
  return [named(first), ...others.map(named)];
}
