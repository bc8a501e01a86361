import type { UnsignedMessage } from '../transaction/encode-transaction.ts';
import { loadedAccountsDataSizeLimit } from './compute-cost.ts';
import { planInstructions } from './plan-instructions.ts';
import type { MessageParts } from './transfer-plan.ts';

/** The message of a plan, ready to be encoded. `lifetimeToken` is the plan's nonce or a blockhash. */
export function toMessage(plan: MessageParts, lifetimeToken: string): UnsignedMessage {
  const { version, feePayer, computeUnitLimit, priorityFee } = plan;
  return {
    version,
    feePayer,
    instructions: planInstructions(plan),
    lifetimeToken,
    config:
      version === 1 && computeUnitLimit !== undefined
        ? { priorityFee, computeUnitLimit, loadedAccountsDataSizeLimit }
        : undefined,
  };
}
