import type { Transaction } from '@solana/kit';
import { type DecodedMessage, decodeMessage } from '../../packages/sandbox/src/ledger/transaction-decoding.ts';
import type { Budget } from './budget.ts';

const computeBudgetProgram = 'ComputeBudget111111111111111111111111111111';

/**
 * Says where a transaction is not, instruction by instruction, the one that the libraries make.
 *
 * Without a price the compute limit is free, and a price of zero is as good as none, unless the layout fixes both.
 */
export function compareTransactions(
  made: Transaction,
  expected: Transaction,
  { computeUnitPrice, isFixed }: Pick<Budget, 'computeUnitPrice'> & { isFixed: boolean },
): string[] {
  const [one, other] = [made, expected].map(({ messageBytes }) => decodeMessage(Uint8Array.from(messageBytes)));
  if (!one || !other) throw new Error('two messages were decoded');
  const isCompared = isFixed || (computeUnitPrice !== undefined && computeUnitPrice > 0n);
  const describe = (message: DecodedMessage): string[] => [
    `version ${message.version}`,
    `priority fee ${message.priorityFeeLamports}`,
    ...describeInstructions(message).filter((text) => isCompared || !text.startsWith(computeBudgetProgram)),
  ];
  const [actual, wanted] = [describe(one), describe(other)];
  const indices = Array.from({ length: Math.max(actual.length, wanted.length) }, (_, index) => index);
  return indices
    .filter((index) => actual[index] !== wanted[index])
    .map((index) => `the transaction has ${actual[index]} where the libraries have ${wanted[index]}`);
}

function describeInstructions(message: DecodedMessage): string[] {
  const { numSignerAccounts, numReadonlySignerAccounts, numReadonlyNonSignerAccounts } = message.header;
  const describeAccount = (index: number): string => {
    const signs = index < numSignerAccounts;
    const end = signs
      ? numSignerAccounts - numReadonlySignerAccounts
      : message.staticAddresses.length - numReadonlyNonSignerAccounts;
    return `${message.staticAddresses[index]}${signs ? ' signer' : ''}${index < end ? ' writable' : ''}`;
  };
  return message.instructions.map(({ programIndex, accountIndices, data }) => {
    const accounts = accountIndices.map(describeAccount).join(', ');
    return `${message.staticAddresses[programIndex]} [${accounts}] ${Buffer.from(data).toString('hex')}`;
  });
}
