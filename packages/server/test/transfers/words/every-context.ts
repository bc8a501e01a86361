import {
  type AddressFault,
  type AmountFault,
  type BaseUnitFault,
  type DecimalAmountFault,
  type FindingCode,
  type FindingContexts,
  type FindingOf,
  type HookFault,
  type LayoutConflict,
  type LayoutObstacle,
  type OwnershipFault,
  type SizeExcess,
  sol,
  type TipFault,
  toAddress,
  type ValueFault,
  type WalletFault,
  type WarningCode,
  type WarningContexts,
  type WarningOf,
} from 'splwright-core';
import { alice, bob, usdc } from '../../app/sample-bodies.ts';

const [wallet, owner, mint] = [toAddress(alice), toAddress(bob), toAddress(usdc)];
const tokenProgram = toAddress('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');
const token2022Program = toAddress('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb');
const program = toAddress('11111111111111111111111111111111');
const wrappedSol = toAddress('So11111111111111111111111111111111111111112');
const account = { wallet, mint, tokenAccount: owner };
// The longest there is.
const elsewhere = { tokenAccount: wallet, amount: 2n ** 64n - 1n };
const tooLittle = { ...account, limitedBy: 'balance', available: 1_400_000n, amount: 1_500_000n, decimals: 6 } as const;

// A variant that is added to a type of the core and not here does not compile.
type EachKind<Fault extends { kind: string }> = { [Kind in Fault['kind']]: Extract<Fault, { kind: Kind }> };
const textsOf = <Text extends string>(texts: Record<Text, true>): Text[] =>
  Object.keys(texts).filter((text): text is Text => text in texts);

const addressFaults: EachKind<AddressFault> = {
  empty: { kind: 'empty' },
  evm_address: { kind: 'evm_address' },
  name: { kind: 'name', text: 'USDC' },
  domain_name: { kind: 'domain_name', text: 'name.sol' },
  signature_or_secret_key: { kind: 'signature_or_secret_key' },
  white_space: { kind: 'white_space', index: 31 },
  invalid_character: { kind: 'invalid_character', character: 'O', index: 32 },
  wrong_length: { kind: 'wrong_length', byteLength: 33 },
  too_long: { kind: 'too_long', characterCount: 88 },
};
const amountFaults = textsOf<AmountFault>({
  empty: true,
  white_space: true,
  sign: true,
  exponent: true,
  not_decimal_base: true,
  decimal_point: true,
  decimal_comma: true,
  digit_grouping: true,
  not_ascii_digits: true,
  not_a_number: true,
  zero: true,
  leading_zero: true,
  too_large: true,
});
const decimalAmountFaults = textsOf<DecimalAmountFault>({
  empty: true,
  too_long: true,
  white_space: true,
  sign: true,
  exponent: true,
  leading_zero: true,
  incomplete_point: true,
  decimal_comma: true,
  digit_grouping: true,
  not_ascii_digits: true,
  not_a_number: true,
  zero: true,
});
const baseUnitFaults: EachKind<BaseUnitFault> = {
  too_many_digits: { kind: 'too_many_digits', fractionDigits: 7 },
  too_large: { kind: 'too_large', max: 2n ** 64n - 1n },
};
const sizeExcesses: EachKind<SizeExcess> = {
  bytes: { kind: 'bytes', byteLength: 1_300, maxByteLength: 1_232 },
  accounts: { kind: 'accounts', accountCount: 65, maxAccountCount: 64 },
};
const valueFaults: EachKind<ValueFault> = {
  not_a_price: { kind: 'not_a_price', max: 2n ** 64n - 1n },
  not_a_block_height: { kind: 'not_a_block_height', max: 2n ** 64n - 1n },
  too_many: { kind: 'too_many', count: 11, max: 10 },
  none: { kind: 'none' },
  max_without_checks: { kind: 'max_without_checks' },
  of_wrapped_sol: { kind: 'of_wrapped_sol' },
  with_max: { kind: 'with_max' },
  repeated: { kind: 'repeated', address: wallet },
};
const walletFaults: EachKind<WalletFault> = {
  holds_data: { kind: 'holds_data' },
  of_program: { kind: 'of_program', program },
  multisig: { kind: 'multisig', program: tokenProgram },
};
const ownershipFaults: EachKind<OwnershipFault> = {
  other_owner: { kind: 'other_owner', owner },
  not_a_token_account: { kind: 'not_a_token_account', program },
};
const feePayerUses = textsOf<Extract<LayoutConflict, { kind: 'fee_payer_used' }>['as']>({
  sender: true,
  mint: true,
  reference: true,
});
const layoutConflicts: EachKind<LayoutConflict> = {
  fee_payer_missing: { kind: 'fee_payer_missing' },
  fee_payer_used: { kind: 'fee_payer_used', as: 'sender' },
  creation: { kind: 'creation' },
  sol: { kind: 'sol' },
  tip: { kind: 'tip' },
  wrapping: { kind: 'wrapping' },
  splits: { kind: 'splits' },
  nonce: { kind: 'nonce' },
  version_1: { kind: 'version_1' },
  memo_too_long: { kind: 'memo_too_long', byteLength: 257, maxByteLength: 256 },
  price_too_high: { kind: 'price_too_high', price: 5_000_001n, maxPrice: 5_000_000n },
};
const layoutObstacles: EachKind<LayoutObstacle> = {
  transfer_hook: { kind: 'transfer_hook', mint, program },
  memo_required: { kind: 'memo_required', wallet, tokenAccount: owner },
  compute_limit: { kind: 'compute_limit', mint, computeUnitLimit: 210_000, max: 200_000 },
};
const hookFaults: EachKind<HookFault> = {
  program_not_found: { kind: 'program_not_found', program },
  list_not_found: { kind: 'list_not_found', program, list: owner },
  list_unreadable: { kind: 'list_unreadable', list: owner },
  data_not_found: { kind: 'data_not_found' },
  account_not_found: { kind: 'account_not_found', account: owner },
  signature_demanded: { kind: 'signature_demanded', signer: owner },
  too_much_computation: { kind: 'too_much_computation', computeUnits: 1_500_001, maxComputeUnits: 1_400_000 },
  too_many_accounts: { kind: 'too_many_accounts', count: 17, max: 15, demandedMemoBytes: 0 },
  too_many_steps: { kind: 'too_many_steps' },
};

const eachWalletFault = Object.values(walletFaults).map((fault) => ({ wallet, fault }));
const eachOwnershipFault = Object.values(ownershipFaults).map((fault) => ({ ...account, fault }));
const booleans = [true, false];
const cost = { wallet, networkFee: 5_000n, minimumBalance: 890_880n };

/** Every finding in every variant of its context. Numbers differ, so that each can be found in a sentence. */
export const everyFindingContext: { [Code in FindingCode]: readonly FindingContexts[Code][] } = {
  invalid_value: Object.values(valueFaults),
  invalid_address: Object.values(addressFaults).map((fault) => ({ fault })),
  invalid_amount: [
    ...amountFaults.map((fault) => ({ fault, max: 2n ** 64n - 1n })),
    ...decimalAmountFaults.map((decimalFault) => ({ decimalFault })),
  ],
  invalid_memo: textsOf<FindingContexts['invalid_memo']['fault']>({ empty: true, lone_surrogate: true }).map(
    (fault) => ({
      fault,
    }),
  ),
  memo_too_long: [{ byteLength: 917, maxByteLength: 916 }],
  memo_too_costly: [{ computeUnits: 1_900_000, maxOfTransaction: 1_400_000, maxOfMemo: 1_300_000 }],
  same_wallet: [{ wallet }],
  sender_off_curve: [{ sender: wallet }],
  fee_payer_off_curve: [{ feePayer: wallet }],
  lifetime_conflict: [{ conflict: 'height_without_blockhash' }, { conflict: 'blockhash_and_nonce' }],
  layout_conflict: [
    ...Object.values(layoutConflicts),
    ...feePayerUses.slice(1).map((as) => ({ ...layoutConflicts.fee_payer_used, as })),
  ].map((conflict) => ({ layout: 'x402', conflict })),
  mint_not_found: [{ mint }],
  not_a_mint: [
    { mint, program },
    { mint, program: tokenProgram },
  ],
  mint_too_large: [{ mint, byteLength: 600_000, readByteLength: 524_288 }],
  amount_not_representable: Object.values(baseUnitFaults).map((fault) => ({ mint, decimals: 6, fault })),
  mint_paused: [{ mint }],
  mint_non_transferable: [{ mint }],
  sender_not_a_wallet: eachWalletFault,
  fee_payer_not_a_wallet: eachWalletFault,
  sender_token_account_not_found: [
    { ...account, decimals: 6 },
    { ...account, decimals: 6, elsewhere },
    { ...account, mint: wrappedSol, decimals: 9 },
  ],
  sender_token_account_not_owned: [
    ...eachOwnershipFault,
    { ...account, fault: { kind: 'other_closer', closer: owner } },
  ],
  sender_token_account_frozen: [account],
  insufficient_token_balance: [
    ...textsOf<FindingContexts['insufficient_token_balance']['limitedBy']>({
      balance: true,
      delegation: true,
    }).map((limitedBy) => ({ ...tooLittle, limitedBy })),
    { ...tooLittle, available: 0n, elsewhere },
    { ...tooLittle, mint: wrappedSol, decimals: 9, available: 1_234_567_123_456_788n, amount: 1_234_567_123_456_789n },
  ],
  insufficient_sol: [
    { ...cost, balance: 4_000n, priorityFee: 0n, rent: 0n, sent: 0n },
    { ...cost, balance: 4_001n, priorityFee: 70_000n, rent: 2_039_280n, sent: 0n },
    { ...cost, balance: 700_000n, priorityFee: 0n, rent: 0n, sent: 0n },
    { ...cost, balance: 2_800_000n, priorityFee: 70_000n, rent: 2_039_280n, sent: 0n },
  ],
  recipient_token_account_not_found: [
    ...booleans.map((freezesNewAccounts) => ({ ...account, freezesNewAccounts, layout: 'default' as const })),
    { ...account, freezesNewAccounts: false, layout: 'x402' },
  ],
  recipient_token_account_not_owned: eachOwnershipFault,
  recipient_token_account_frozen: [account],
  recipient_refuses_public_credits: [account],
  new_token_account_would_be_frozen: [account],
  recipient_requires_memo: [account],
  recipient_is_token_account: [owner, undefined].map((of) => ({ recipient: wallet, program: tokenProgram, owner: of })),
  recipient_is_mint: [{ recipient: mint, program: tokenProgram }],
  recipient_is_program: [{ recipient: program }],
  recipient_multisig_of_other_program: [
    { recipient: wallet, mint, program: token2022Program, tokenProgram },
    { recipient: wallet, mint, program: tokenProgram, tokenProgram: token2022Program },
  ],
  recipient_not_a_wallet: [{ recipient: wallet, program }],
  recipient_off_curve: [{ recipient: wallet }],
  recipient_is_reserved: [{ recipient: wallet }],
  tip_account_not_payable: textsOf<TipFault>({
    not_found: true,
    payer: true,
    program: true,
    of_token_program: true,
    reserved: true,
    below_minimum: true,
  }).map((fault) => ({ account: wallet, fault })),
  recipient_below_rent_minimum: [{ recipient: wallet, balance: 0n, amount: 890_879n, minimumBalance: 890_880n }],
  nonce_account_not_found: [{ nonceAccount: owner }],
  not_a_nonce_account: [{ nonceAccount: owner, program, byteLength: 165, expectedByteLength: 80 }],
  nonce_account_not_initialized: textsOf<FindingContexts['nonce_account_not_initialized']['fault']>({
    not_initialized: true,
    old_version: true,
  }).map((fault) => ({ nonceAccount: owner, fault })),
  blockhash_not_valid: [
    { blockhash: wallet, fault: { kind: 'not_valid' } },
    { blockhash: wallet, fault: { kind: 'impossible_height', lastValidBlockHeight: 7n, min: 100n, max: 250n } },
  ],
  nonce_authority_not_a_signer: [{ nonceAccount: mint, authority: program }],
  priority_fee_too_high: booleans.map((isLeast) => ({ priorityFee: 2_000_000n, isLeast, max: 1_000_000n })),
  transfer_hook_unresolvable: [
    ...Object.values(hookFaults),
    { ...hookFaults.too_many_accounts, demandedMemoBytes: 900 },
  ].map((fault) => ({ mint, fault })),
  transfer_hook_names_signer: [{ mint, signer: wallet }],
  transaction_too_large: Object.values(sizeExcesses).flatMap((excess) => [
    { excess, hookAccountCount: 14, splitCount: 0, hasMemo: false, isTwin: false },
    { excess, hookAccountCount: 0, splitCount: 5, hasMemo: false, isTwin: false },
    ...(excess.kind === 'bytes'
      ? [
          { excess, hookAccountCount: 0, splitCount: 5, hasMemo: true, isTwin: false },
          { excess, hookAccountCount: 0, splitCount: 0, hasMemo: true, isTwin: true },
        ]
      : []),
  ]),
  layout_not_possible: Object.values(layoutObstacles).map((obstacle) => ({ layout: 'x402', obstacle })),
  transaction_too_costly: booleans.map((hasMemo) => ({ computeUnits: 1_410_000, max: 1_400_000, hasMemo })),
  nothing_received: [
    { mint, amount: 1n, decimals: 6, basisPoints: 269 },
    { mint, amount: 1_000_000n, decimals: 6, basisPoints: 10_000 },
  ],
  nonce_for_several_transactions: [{ nonceAccount: wallet, transactionCount: 3 }],
};

const ofMint = { mint };
const ofTokenAccount = { tokenAccount: wallet };
const lent = { ...ofTokenAccount, delegate: owner, amount: 1_500_000n, decimals: 6 };
const few = { characters: ['\u001b'] };
const many = { characters: [...'\u0001\u0002\u0003\u0004\u0005\u0006\u0007'] };

/** Every warning in every variant of its context. */
export const everyWarningContext: { [Code in WarningCode]: readonly WarningContexts[Code][] } = {
  transfer_fee: [
    { ...ofMint, transferFee: 15_000n, receivedAmount: 1_485_000n, decimals: 6 },
    { ...ofMint, transferFee: 1n, receivedAmount: 0n, decimals: 0 },
  ],
  scheduled_transfer_fee: [15_000n, 0n].map((transferFee) => ({
    ...{ ...ofMint, epoch: 812n, transferFee, receivedAmount: 1_500_000n - transferFee, decimals: 6 },
  })),
  mutable_transfer_fee: [{ ...ofMint, authority: owner }],
  recipient_never_used: [[wallet], [wallet, owner]].flatMap((recipients) => [
    { recipients, offCurve: [] },
    { recipients, offCurve: recipients },
  ]),
  mint_can_be_paused: [{ ...ofMint, authority: owner }],
  permanent_delegate: [{ ...ofMint, delegate: owner }],
  mint_can_be_closed: [ofMint],
  interest_bearing: [ofMint],
  scaled_ui_amount: [ofMint],
  mutable_transfer_hook: [{ ...ofMint, authority: owner }],
  freeze_authority: [ofMint],
  unknown_extension: [[99], [99, 41]].map((extensionTypes) => ({ ...ofMint, extensionTypes })),
  transfer_hook: [[], [owner], [owner, wallet]].map((writableAccounts) => ({ ...ofMint, program, writableAccounts })),
  token_account_thawed: [[owner], [owner, wallet]].map((tokenAccounts) => ({
    ...ofMint,
    gateProgram: program,
    tokenAccounts,
  })),
  sender_is_delegate: [{ ...ofTokenAccount, owner }],
  sender_delegate: [lent],
  sender_close_authority: [{ ...ofTokenAccount, closeAuthority: owner }],
  recipient_delegate: [lent],
  recipient_close_authority: [{ ...ofTokenAccount, closeAuthority: owner }],
  durable_nonce: [{ nonceAccount: owner }],
  durable_nonces_will_be_removed: [{ nonceAccount: owner }],
  amount_is_max: [
    { ...ofMint, amount: 5_000_000n, held: 5_000_000n, left: 0n, decimals: 6 },
    { ...ofMint, amount: 4_000_000n, held: 6_000_000n, left: 1_500_000n, decimals: 6 },
    { mint: sol, amount: 995_000n, held: 1_000_000n, left: 0n, decimals: 9 },
  ],
  for_import_into_multisig: [{ vault: owner }],
  facilitator_compute_limit: [{ computeUnitLimit: 118_124, refusedFrom: 100_000 }],
  repeated_recipient: [
    { recipient: wallet, transfers: [0, 7] },
    { recipient: wallet, transfers: [0, 1, 2, 3, 4] },
  ],
  memo_control_characters: [few, many],
  memo_direction_characters: [few, many],
  memo_invisible_characters: [few, many],
};

export const isFindingCode = (text: string): text is FindingCode => text in everyFindingContext;
export const isWarningCode = (text: string): text is WarningCode => text in everyWarningContext;

/** Findings of a code about the sender, one in each variant of its context. */
export function findingsOf<Code extends FindingCode>(code: Code): FindingOf<Code>[] {
  return everyFindingContext[code].map((context) => ({ code, field: 'from', context }));
}

/** Warnings of a code, one in each variant of its context. */
export function warningsOf<Code extends WarningCode>(code: Code): WarningOf<Code>[] {
  return everyWarningContext[code].map((context) => ({ code, context }));
}
