import type { Finding, FindingField } from '../../packages/core/src/findings/finding.ts';
import { askedCreationOf, asksForMemo, isX402, payeesOf } from './asked.ts';
import type { MintExtension, World } from './world.ts';

// What facilitators of x402 accept (`MAX_MEMO_BYTES` and `MAX_COMPUTE_UNIT_PRICE_MICROLAMPORTS` of `@x402/svm`).
const maxMemoBytes = 256;
const maxPrice = 5_000_000n;

/** The fields of a world's request that the x402 layout has no room for; none in the default layout. */
export function layoutConflictsOf(world: World): FindingField[] {
  if (!isX402(world)) return [];
  const { priorityFee, nonceAccount, transactionVersion } = world.options;
  const conflicts: FindingField[] = [];
  if (asksForMemo(world) && Buffer.byteLength(world.memo.text) > maxMemoBytes) conflicts.push('memo');
  if (askedCreationOf(world) === 'always') conflicts.push('createTokenAccount');
  if ((world.transfer?.splits ?? []).length > 0) conflicts.push('splits');
  if (!isFeePayerApart(world)) conflicts.push('feePayer');
  if (priorityFee?.kind === 'price' && priorityFee.price > maxPrice) conflicts.push('priorityFee');
  if (nonceAccount) conflicts.push('nonceAccount');
  if (transactionVersion === 1) conflicts.push('transactionVersion');
  return conflicts;
}

// The facilitator signs as the fee payer: no instruction may have that account.
function isFeePayerApart({ options }: World): boolean {
  const { feePayer, references = [], nonceAccount } = options;
  if (!feePayer || feePayer.wallet === 'sender') return false;
  const isRecipientToo = feePayer.wallet === 'recipient' && references.includes('recipient');
  const isNonceToo = nonceAccount?.state === 'fee_payer' && references.includes('nonce_account');
  return !references.includes('fee_payer') && !isRecipientToo && !isNonceToo;
}

/** Says which findings about a layout are unfounded: what another layout takes may land, so that the chain does not tell. */
export function judgeLayoutFindings(world: World, findings: readonly Pick<Finding, 'code' | 'field'>[]): string[] {
  const conflicts = layoutConflictsOf(world);
  return findings.flatMap(({ code, field }) => {
    const isUnfounded =
      (code === 'layout_conflict' && !conflicts.includes(field)) ||
      (code === 'layout_not_possible' && !(isX402(world) && (field === 'mint' ? isHooked(world) : demandsMemo(world))));
    return isUnfounded ? [`${code} of ${JSON.stringify(field)} is unfounded`] : [];
  });
}

function isHooked({ mint }: World): boolean {
  return mint.kind === 'token_2022' && mint.extensions.some(isHook);
}

function isHook(extension: MintExtension): boolean {
  return extension.kind === 'transfer_hook' && extension.hook !== 'none';
}

function demandsMemo(world: World): boolean {
  return payeesOf(world).some(({ tokenAccount }) => tokenAccount === 'memo_required');
}
