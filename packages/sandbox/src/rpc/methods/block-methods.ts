import type { Block } from '../../ledger/block-history.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Commitment } from '../../ledger/slot-clock.ts';
import {
  asConfig,
  asString,
  asUnsigned,
  confirmedCommitmentOf,
  type RpcConfig,
  required,
  unknownVariant,
} from '../wire/parameters.ts';
import { blockCleanedUpCode, blockNotAvailableCode, RpcError } from '../wire/rpc-errors.ts';
import type { RpcMethods } from './rpc-methods.ts';

function blockAt(ledger: Ledger, slot: bigint, commitment: Commitment): Block {
  if (slot > ledger.slot(commitment)) throw new RpcError(blockNotAvailableCode, `Block not available for slot ${slot}`);
  const block = ledger.block(slot);
  if (block !== undefined) return block;
  const text = `Block ${slot} cleaned up, does not exist on node. First available block: ${ledger.firstSlot}`;
  throw new RpcError(blockCleanedUpCode, text);
}

function detailsOf({ transactions }: Block, config: RpcConfig): object {
  const details = asString(config.transactionDetails ?? 'full');
  if (details === 'signatures') return { signatures: transactions.map(({ signature }) => signature) };
  if (details === 'none') return {};
  throw unknownVariant(details, ['signatures', 'none']);
}

/** Methods about blocks. Every slot has one. */
export const blockMethods: RpcMethods = {
  getBlock(ledger, parameters) {
    const slot = asUnsigned(required(parameters, 0));
    const config = asConfig(parameters[1]);
    const block = blockAt(ledger, slot, confirmedCommitmentOf(config));
    return {
      previousBlockhash: block.previousBlockhash,
      blockhash: block.blockhash,
      parentSlot: slot - 1n,
      ...detailsOf(block, config),
      ...(config.rewards !== false && { rewards: [] }),
      blockTime: ledger.blockTime(slot),
      blockHeight: block.blockHeight,
    };
  },

  // A block without all of its transactions would be a history that hides some.
  getFirstAvailableBlock: (ledger) => ledger.firstAvailableSlot,
};
