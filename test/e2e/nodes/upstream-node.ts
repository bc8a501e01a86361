import { clockSysvar } from '../../../packages/core/src/accounts/sysvars.ts';
import { type Address, toAddress } from '../../../packages/core/src/addresses/address.ts';
import { tokenProgram } from '../../../packages/core/src/addresses/programs.ts';
import { sampleAccount } from '../../../packages/server/test/chain/sample-transfer.ts';
import { clockOf, genesisHash } from '../../../packages/server/test/chain/upstream-nodes.ts';
import { type Behaviour, resultOf } from '../../setup/fake-upstream.ts';

const slot = 1000;

/** A node on which the sample bodies are transfers that land. */
export const healthyNode: Behaviour = resultOf(({ method, params }) => {
  const context = { slot };
  switch (method) {
    case 'getHealth':
      return 'ok';
    case 'getGenesisHash':
      return genesisHash;
    case 'getLatestBlockhash':
      return { context, value: { blockhash: '1'.repeat(32), lastValidBlockHeight: 1150 } };
    default:
      return { context, value: addressesOf(params[0]).map(encodedAccount) };
  }
});

/** A node that behaves otherwise for one method, and is healthy for the rest. */
export function onlyFor(method: string, behaviour: Behaviour): Behaviour {
  return (call, response) => (call.method === method ? behaviour : healthyNode)(call, response);
}

function addressesOf(parameter: unknown): readonly Address[] {
  return Array.isArray(parameter) ? parameter.map(String).map(toAddress) : [];
}

function encodedAccount(address: Address): object | null {
  const account = sampleAccount(address, tokenProgram);
  if (!account) return null;
  const { lamports, owner, executable } = account;
  const data = Buffer.from(address === clockSysvar ? clockOf(slot) : account.data);
  return {
    lamports: Number(lamports),
    owner,
    data: [data.toString('base64'), 'base64'],
    executable,
    space: data.length,
  };
}
