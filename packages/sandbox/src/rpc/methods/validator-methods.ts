import { faucet, faucetLamports } from '../../ledger/faucet.ts';
import { keypairFromName } from '../../ledger/keypair.ts';
import { slotsPerEpoch } from '../../ledger/slot-clock.ts';
import { apiVersion, asArray, asConfig, asUnsigned, commitmentOf, contextAt, required } from '../wire/parameters.ts';
import { invalidParameters } from '../wire/rpc-errors.ts';
import type { RpcMethods } from './rpc-methods.ts';

const identity = keypairFromName('splwright sandbox identity').address;
const voteAccount = keypairFromName('splwright sandbox vote account').address;

const stakeLamports = 1_000_000_000_000n;
const minDelegationLamports = 1_000_000_000n;

/** The last vote is this many slots behind the newest slot. */
const voteLag = 1n;

/** One answer names at most so many leaders (`MAX_GET_SLOT_LEADERS`). */
const maxLeaders = 5_000n;

/** Mainnet's first inflation, which the sandbox does not have. */
const inflation = { foundation: 0.05, foundationTerm: 7, initial: 0.08, taper: 0.15, terminal: 0.015 } as const;

/** Methods about validators, stake and inflation: the sandbox is one validator that leads every slot, and pays nothing. */
export const validatorMethods: RpcMethods = {
  getIdentity: () => ({ identity }),

  getSlotLeader(ledger, parameters) {
    const config = asConfig(parameters[0]);
    contextAt(ledger, config, commitmentOf(config));
    return identity;
  },

  getSlotLeaders(_ledger, parameters) {
    asUnsigned(required(parameters, 0));
    const limit = asUnsigned(required(parameters, 1));
    if (limit > maxLeaders) throw invalidParameters(`Invalid limit; max ${maxLeaders}`);
    return Array.from({ length: Number(limit) }, () => identity);
  },

  getLeaderSchedule: () => ({ [identity]: Array.from({ length: Number(slotsPerEpoch) }, (_, index) => index) }),

  getVoteAccounts(ledger) {
    const final = ledger.slot('finalized');
    const vote = {
      votePubkey: voteAccount,
      nodePubkey: identity,
      activatedStake: stakeLamports,
      commission: 0,
      epochVoteAccount: true,
      epochCredits: [[final / slotsPerEpoch, final % slotsPerEpoch, 0]],
      lastVote: ledger.slot() - voteLag,
      rootSlot: final,
    };
    return { current: [vote], delinquent: [] };
  },

  getClusterNodes: () => [
    { pubkey: identity, gossip: null, tpu: null, rpc: null, pubsub: null, version: apiVersion, featureSet: null },
  ],

  getSupply(ledger, parameters) {
    const config = asConfig(parameters[0]);
    const context = contextAt(ledger, config, commitmentOf(config));
    const accounts = { nonCirculating: 0, nonCirculatingAccounts: [] };
    return { context, value: { total: faucetLamports, circulating: faucetLamports, ...accounts } };
  },

  getLargestAccounts(ledger, parameters) {
    const config = asConfig(parameters[0]);
    const commitment = commitmentOf(config);
    const lamports = ledger.getAccount(faucet.address, commitment)?.lamports ?? 0n;
    return { context: contextAt(ledger, config, commitment), value: [{ address: faucet.address, lamports }] };
  },

  getStakeMinimumDelegation(ledger, parameters) {
    const config = asConfig(parameters[0]);
    return { context: contextAt(ledger, config, commitmentOf(config)), value: minDelegationLamports };
  },

  getInflationGovernor: () => inflation,

  getInflationRate: (ledger) => ({ total: 0, validator: 0, foundation: 0, epoch: ledger.slot() / slotsPerEpoch }),

  getInflationReward: (_ledger, parameters) => asArray(required(parameters, 0)).map(() => null),
};
