import type { Mint } from '../accounts/token-state.ts';
import type { Address } from '../addresses/address.ts';
import type { Finding } from '../findings/finding.ts';
import type { DecodedFacts } from '../plan/transfer-facts.ts';
import { amountFieldOf } from '../request/amount.ts';
import type { TransferRequest } from '../request/transfer-request.ts';

/** Returns why the mint, or the amount of it, cannot be transferred, in a fixed order. */
export function checkMint({ mint: address, layout, amount }: TransferRequest, facts: DecodedFacts): Finding[] {
  if (!facts.mint) return [facts.mintFinding];
  const { mint } = facts;
  const fault = facts.payments[0]?.amountFault;
  const findings: Finding[] = [];
  if (fault) {
    const context = { mint: address, decimals: mint.decimals, fault };
    findings.push({ code: 'amount_not_representable', field: amountFieldOf(amount), context });
  }
  findings.push(...checkMintState(address, mint));
  const program = mint.transferHookProgram;
  if (layout === 'x402' && program !== undefined) {
    // The layout has no room for the accounts of a hook.
    const obstacle = { kind: 'transfer_hook', mint: address, program } as const;
    findings.push({ code: 'layout_not_possible', field: 'mint', context: { layout, obstacle } });
  }
  return findings;
}

/** Returns why no token of a mint can be transferred now. */
export function checkMintState(address: Address, mint: Mint): Finding[] {
  const findings: Finding[] = [];
  const context = { mint: address };
  if (mint.isPaused) findings.push({ code: 'mint_paused', field: 'mint', context });
  if (mint.isNonTransferable) findings.push({ code: 'mint_non_transferable', field: 'mint', context });
  return findings;
}
