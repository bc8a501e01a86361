import { decodeMint, type TokenAccount } from '../../packages/core/src/accounts/token-state.ts';
import { deriveTokenAccounts, toAddress, validateTransferRequest } from '../../packages/core/src/index.ts';
import { buildTransaction } from '../../packages/core/src/plan/build-transaction.ts';
import { type PlanFacts, planTransfer } from '../../packages/core/src/plan/plan-transfer.ts';
import { type Builder, decimals } from './transfer-work.ts';

const tokenProgram = toAddress('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');

function decodedMint(): NonNullable<ReturnType<typeof decodeMint>> {
  const data = new Uint8Array(82);
  data[44] = decimals;
  data[45] = 1;
  const mint = decodeMint({ owner: tokenProgram, lamports: 1_461_600n, data, executable: false });
  if (!mint) throw new Error('the mint of the benchmark is none');
  return mint;
}

const mint = decodedMint();

// The token account of a recipient that has one.
const paidTokenAccount: TokenAccount = {
  tokenProgram,
  owner: tokenProgram,
  amount: 0n,
  isFrozen: false,
  delegate: undefined,
  closeAuthority: undefined,
  isNative: false,
  requiresMemo: false,
  refusesPublicCredits: false,
};

/** The core as the service uses it: parse, derive, plan, encode, and read the bytes back before they are handed out. */
export const splwrightBuilder: Builder = {
  id: 'splwright',
  name: 'splwright',
  build({ sender, recipient, mint: mintAddress, blockhash, amount, memo }) {
    const createTokenAccount = memo === undefined ? 'always' : 'never';
    const inputs = { from: sender, to: recipient, mint: mintAddress, amount, memo, createTokenAccount } as const;
    const { request, findings } = validateTransferRequest(inputs);
    if (typeof request?.amount !== 'bigint') throw new Error(JSON.stringify(findings));
    const { sender: from, recipients } = deriveTokenAccounts(request, tokenProgram);
    const [paid] = recipients;
    if (!paid) throw new Error('a transfer has a recipient');
    const exists = memo !== undefined;
    const tokenAccount = { ...paid, state: exists ? paidTokenAccount : undefined, occupant: undefined, lamports: 0n };
    const { to, references } = request;
    const payment = { to, amount: request.amount, field: 'to', memo: request.memo, references, tokenAccount } as const;
    const facts: PlanFacts = {
      mint,
      clock: { epoch: 800n },
      tokenAccountRent: 2_039_280n,
      senderTokenAccount: { ...from, state: paidTokenAccount, lamports: 0n },
      nonce: undefined,
    };
    const plan = planTransfer(request, facts, [{ ...payment, hookAccounts: [] }], {
      recentPrices: undefined,
      maxPriorityFee: 1_000_000n,
    });
    if ('needsPricesFor' in plan) throw new Error('no priority fee was asked for');
    return buildTransaction(plan, blockhash);
  },
};
