import type { ProblemCode } from '../../../packages/server/src/problems.ts';
import { extensionsOf, isMissing, type Payee } from '../asked.ts';
import { nonceCodes } from '../reason-fits.ts';
import type { Situation } from '../situation.ts';
import type { RecipientWallet } from '../world.ts';
import { at, type BatchStage, firstOfEach } from './batch-stage.ts';

/** A reason that a batch has for certain: one of these codes, of this field. */
export interface ExpectedFinding {
  codes: readonly ProblemCode[];
  /** As `fieldText` writes it. */
  field: string;
}

/** What is known of a batch from how it was drawn, before lamports, sizes and costs count. */
export interface Expectation {
  /** Faults of the request itself: then the chain is not asked. */
  ofRequest: readonly ExpectedFinding[];
  ofChain: readonly ExpectedFinding[];
}

/** Says which findings a batch must have, by how it was drawn. */
export function expectedFindings(stage: BatchStage): Expectation {
  return {
    ofRequest: stage.batch.transfers.flatMap((transfer, index) =>
      when(transfer.wallet === 'sender', `${index}.to`, 'same_wallet'),
    ),
    ofChain: [
      ...[...new Set(stage.situations)].flatMap((own) => [...ofMint(stage, own), ...ofSender(own)]),
      ...ofNonce(stage),
      ...ofTransfers(stage),
    ],
  };
}

function when(holds: boolean, field: string, ...codes: ProblemCode[]): ExpectedFinding[] {
  return holds ? [{ codes, field }] : [];
}

// Wherever the request names the mint.
function ofMint({ batch, situations }: BatchStage, own: Situation): ExpectedFinding[] {
  const named = batch.transfers.flatMap(({ token }, index) => {
    return at(situations, index) === own ? [token === 0 ? 'mint' : `${index}.mint`] : [];
  });
  return extensionsOf(own.world).flatMap((extension) => {
    const isPaused = extension.kind === 'pausable' && extension.paused;
    return [...new Set(named)].flatMap((field) => [
      ...when(isPaused, field, 'mint_paused'),
      ...when(extension.kind === 'non_transferable', field, 'mint_non_transferable'),
    ]);
  });
}

function ofSender(own: Situation): ExpectedFinding[] {
  const { senderTokenAccount: state, balance } = own.world;
  if (state === 'missing' || state === 'prefunded') return when(true, 'from', 'sender_token_account_not_found');
  const isPermanentDelegate = extensionsOf(own.world).some(
    (extension) => extension.kind === 'permanent_delegate' && extension.delegate === 'sender',
  );
  // Whether an owner is held back by what is delegated to itself depends on the order: the ledger says that.
  return [
    ...when(state === 'frozen', 'from', 'sender_token_account_frozen'),
    ...when(state === 'owner_changed' && !isPermanentDelegate, 'from', 'sender_token_account_not_owned'),
    ...when(balance === 'zero' || balance === 'one_less', 'transfers', 'insufficient_token_balance'),
  ];
}

function ofNonce({ batch: { nonceState } }: BatchStage): ExpectedFinding[] {
  const codes = nonceCodes(nonceState);
  return when(codes.length > 0, 'nonceAccount', ...codes);
}

function ofTransfers(stage: BatchStage): ExpectedFinding[] {
  const firsts = new Map(firstOfEach(stage).map(({ payment }) => [payment.tokenAccount, payment.payee]));
  return stage.situation.payments.flatMap(({ tokenAccount, payee }, index) => {
    const is = { ...(firsts.get(tokenAccount) ?? payee), hasMemo: payee.hasMemo };
    const code = walletCode(stage, is) ?? tokenAccountCode(at(stage.situations, index), is);
    return [
      ...when(
        stage.batch.transfers[index]?.amountText === 'too_many_digits',
        `${index}.amountDecimal`,
        'amount_not_representable',
      ),
      ...(code ? when(true, `${index}.to`, code) : []),
    ];
  });
}

type State = Pick<Payee, 'wallet' | 'tokenAccount' | 'hasMemo' | 'creation'>;

const codesOfWallets: Readonly<Partial<Record<RecipientWallet, ProblemCode>>> = {
  program: 'recipient_is_program',
  token_program: 'recipient_is_program',
  system_program: 'recipient_is_program',
  mint: 'recipient_is_mint',
  the_mint: 'recipient_is_mint',
  token_account: 'recipient_is_token_account',
  uninitialized_token_account: 'recipient_is_token_account',
  own_token_account: 'recipient_is_token_account',
  other_multisig: 'recipient_multisig_of_other_program',
};
const foreign: readonly RecipientWallet[] = ['foreign_account', 'foreign_account_off_curve', 'sysvar'];
const offCurve: readonly RecipientWallet[] = ['off_curve', 'off_curve_funded', 'foreign_account_off_curve'];

function walletCode({ batch }: BatchStage, { wallet, tokenAccount }: State): ProblemCode | undefined {
  const code = codesOfWallets[wallet];
  if (code) return code;
  if (foreign.includes(wallet) && isMissing(tokenAccount)) return 'recipient_not_a_wallet';
  const isMade = isMissing(tokenAccount) || batch.creation === 'always';
  const isAllowed = batch.allowsOffCurveRecipient || !isMade;
  return offCurve.includes(wallet) && !isAllowed ? 'recipient_off_curve' : undefined;
}

function tokenAccountCode(own: Situation, { tokenAccount, hasMemo, creation }: State): ProblemCode | undefined {
  const isMadeFrozen = extensionsOf(own.world).some((each) => each.kind === 'default_account_state' && each.frozen);
  if (isMissing(tokenAccount)) {
    if (creation === 'never') return 'recipient_token_account_not_found';
    return isMadeFrozen ? 'new_token_account_would_be_frozen' : undefined;
  }
  switch (tokenAccount) {
    case 'frozen':
      return 'recipient_token_account_frozen';
    case 'owner_changed':
      return 'recipient_token_account_not_owned';
    case 'confidential_only':
      return 'recipient_refuses_public_credits';
    case 'memo_required':
      return hasMemo ? undefined : 'recipient_requires_memo';
    default:
      return undefined;
  }
}
