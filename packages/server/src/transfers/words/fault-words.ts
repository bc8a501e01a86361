import {
  type Address,
  type AddressFault,
  type AmountFault,
  type BlockhashFault,
  type DecimalAmountFault,
  type HookFault,
  isTokenProgram,
  type LayoutConflict,
  type LayoutObstacle,
  tokenProgramName,
  type ValueFault,
  type WalletFault,
} from 'splwright-core';
import { quoteText } from '../../app/visible-text.ts';

/** Describes a value that is not allowed, with the remedy. */
export function describeValueFault(fault: ValueFault, name: string): string {
  switch (fault.kind) {
    case 'not_a_price':
      return (
        `${name} must be "none", "low", "medium", "high", or micro-lamports per compute unit in plain decimal digits, ` +
        `at most ${fault.max}.`
      );
    case 'not_a_block_height':
      return `${name} must be a block height in plain decimal digits, at most ${fault.max}.`;
    case 'too_many':
      return name.endsWith('references')
        ? `${name} has ${fault.count} addresses; one transfer takes ${fault.max}. Send fewer.`
        : `${name} has ${fault.count} entries and may have ${fault.max}. Send fewer.`;
    case 'none':
      return `${name} is empty. Send at least one.`;
    case 'of_wrapped_sol':
      return `${name} is for wrapped SOL, and the token is another. Leave it out.`;
    case 'with_max':
      return `${name} wraps what the balance lacks for an amount, and "max" sends only what is there. Leave it out, or send a number.`;
    case 'max_without_checks':
      return `${name} is "max", which depends on the balance, and checks "none" ignores it. Leave checks out, or send a number.`;
    case 'repeated':
      return `references has ${fault.address} more than once. Send each reference once.`;
  }
}

/** Describes why a transaction cannot live by the blockhash of a request, with the remedy. */
export function describeBlockhashFault(fault: BlockhashFault, blockhash: string, name: string): string {
  return fault.kind === 'not_valid'
    ? `The Solana node accepts no transaction with the blockhash ${blockhash}: it has expired, is not confirmed yet, or is of ` +
        `another cluster. Ask for a newer one, or leave ${name} out.`
    : `${name} is ${fault.lastValidBlockHeight}; for a blockhash that is valid now it is from ${fault.min} to ${fault.max}. Leave it out.`;
}

/** Describes why a text is not an address, as the rest of a sentence that begins with the name of its field. */
export function describeAddressFault(fault: AddressFault, name: string): string {
  switch (fault.kind) {
    case 'empty':
      return 'is empty';
    case 'evm_address':
      return 'is an EVM (Ethereum) address, not a Solana one';
    case 'name':
      return name === 'token_mint_address'
        ? `is ${JSON.stringify(fault.text)}, a symbol, which several tokens may have: send the address of the mint`
        : `is ${JSON.stringify(fault.text)}, which is not a Solana address`;
    case 'domain_name':
      return `is ${JSON.stringify(fault.text)}, a domain name: send the address that it resolves to`;
    case 'signature_or_secret_key':
      return 'decodes to 64 bytes, as a signature or a secret key does: send an address, and never a secret key';
    case 'white_space':
      return `has white space at position ${fault.index + 1}`;
    case 'invalid_character':
      return `has ${quoteText(fault.character)} at position ${fault.index + 1}, which is not in the base58 alphabet`;
    case 'wrong_length':
      return `decodes to ${fault.byteLength} bytes instead of 32`;
    case 'too_long':
      return `has ${fault.characterCount} characters instead of 32 to 44`;
  }
}

/** Describes why a text is not an amount, as the rest of a sentence that begins with the name of its field. */
export function describeAmountFault(fault: AmountFault, max: bigint): string {
  return fault === 'too_large' ? `is more than ${max}, the most a token account can hold` : amountFaults[fault];
}

/** Describes why a text is not a decimal number of tokens, as the rest of a sentence that begins with the name of its field. */
export function describeDecimalAmountFault(fault: DecimalAmountFault): string {
  switch (fault) {
    case 'too_long':
      return 'has more digits than an amount of any token';
    case 'leading_zero':
      return 'has a zero in front of other digits';
    case 'incomplete_point':
      return 'has a point without digits on both sides';
    case 'decimal_comma':
      return 'has a comma in place of the point';
    case 'not_a_number':
      return 'is not a number';
    default:
      return amountFaults[fault];
  }
}

const amountFaults: Readonly<Record<Exclude<AmountFault, 'too_large'>, string>> = {
  empty: 'is empty',
  white_space: 'has white space in it',
  sign: 'has a sign',
  exponent: 'has an exponent',
  not_decimal_base: 'is not in decimal base',
  decimal_point: 'has a decimal point',
  decimal_comma: 'has a comma',
  digit_grouping: 'has separators between its digits',
  not_ascii_digits: 'has digits other than 0 to 9',
  not_a_number: 'is not a whole number',
  zero: 'is zero',
  leading_zero: 'has a leading zero',
};

/** Describes the value of a request that its layout does not allow, with the remedy. */
export function describeLayoutConflict(conflict: LayoutConflict, name: string): string {
  switch (conflict.kind) {
    case 'fee_payer_missing':
      return `needs ${name}: the facilitator pays the network fee. Send the address that the 402 answer has as extra.feePayer`;
    case 'fee_payer_used':
      return (
        `lets no instruction name the fee payer, which is also the ${conflict.as} here. Send another ` +
        `${conflict.as === 'reference' ? 'reference' : name}`
      );
    case 'creation':
      return `creates no token account. Leave ${name} out, and have the recipient create the account first`;
    case 'sol':
      return `pays tokens. Send the mint of one as ${name}, or leave the layout out to pay SOL`;
    case 'tip':
      return 'has no room for a tip. Leave it out';
    case 'wrapping':
      return `has no room for ${name}. Leave it out`;
    case 'splits':
      return `makes one payment. Leave ${name} out, and pay the others in transactions of their own`;
    case 'nonce':
      return `takes a blockhash, not a nonce. Leave ${name} out`;
    case 'version_1':
      return `takes ${name} "legacy" or 0. Send one of these`;
    case 'memo_too_long':
      return `takes a memo of ${conflict.maxByteLength} bytes of UTF-8; ${name} has ${conflict.byteLength}. Shorten it`;
    case 'price_too_high':
      return (
        `takes ${conflict.maxPrice} micro-lamports per compute unit; ${name} is ${conflict.price}. Send a lower price, ` +
        'or a level'
      );
  }
}

/** Describes the state of the chain that a layout does not allow, with the remedy. */
export function describeLayoutObstacle(obstacle: LayoutObstacle): string {
  switch (obstacle.kind) {
    case 'transfer_hook':
      return (
        `has no room for the accounts of a transfer hook: the mint ${obstacle.mint} calls the program ${obstacle.program} ` +
        'on each transfer. Pay with another token'
      );
    case 'memo_required':
      return (
        `has its memo after the transfer: the token account ${obstacle.tokenAccount} of ${obstacle.wallet} requires one ` +
        'directly before it. Ask the recipient to stop requiring memos'
      );
    case 'compute_limit':
      return (
        `takes a compute limit of ${obstacle.max} units, and this payment of the mint ${obstacle.mint} may need ${obstacle.computeUnitLimit}. ` +
        'Shorten the memo, send fewer splits, or pay with a token without a transfer hook'
      );
  }
}

/** Describes an account of this program that is not a mint. */
export function describeOtherAccount(program: Address): string {
  return isTokenProgram(program)
    ? `an account of ${tokenProgramName(program)}, but not an initialized mint`
    : `an account of the program ${program}, not of SPL Token or Token-2022`;
}

/** Describes why an account cannot sign or pay as a wallet does, with the remedy. */
export function describeWalletFault(wallet: Address, fault: WalletFault): string {
  const noPayer = 'so it can pay neither fees nor SOL. Let a plain wallet pay.';
  switch (fault.kind) {
    case 'holds_data':
      return `The account ${wallet} holds data, ${noPayer}`;
    case 'of_program':
      return `The account ${wallet} belongs to the program ${fault.program}, not to the System program, ${noPayer}`;
    case 'multisig':
      return (
        `The account ${wallet} is a multisig of ${tokenProgramName(fault.program)}: its signers would have to sign, ` +
        'and its own signature moves nothing. Send from a plain wallet.'
      );
  }
}

/** Describes why the demands of a transfer hook cannot be met, with the remedy, as what follows "calls a program on each transfer". */
export function describeHookFault(fault: HookFault): string {
  if (fault.kind === 'too_many_steps') return ' that needs too many accounts found through one another';
  const remedy = fault.kind === 'too_much_computation' ? '' : '. Ask the issuer of the token';
  return `, and ${describeHookDemand(fault)}${remedy}`;
}

function describeHookDemand(fault: Exclude<HookFault, { kind: 'too_many_steps' }>): string {
  switch (fault.kind) {
    case 'program_not_found':
      return `its hook program ${fault.program} does not exist`;
    case 'list_not_found':
      return `its hook program ${fault.program} has no account list at ${fault.list}`;
    case 'list_unreadable':
      return `the account list at ${fault.list} cannot be read`;
    case 'data_not_found':
      return "its hook's account list refers to data that is not there";
    case 'account_not_found':
      return `its hook needs the account ${fault.account}, which does not exist yet`;
    case 'signature_demanded':
      return `its hook demands the signature of ${fault.signer}`;
    case 'too_many_accounts':
      return describeTooManyAccounts(fault);
    case 'too_much_computation':
      return (
        `with this memo its hook could take ${fault.computeUnits} compute units; a transaction may spend ` +
        `${fault.maxComputeUnits}. Shorten the memo, or ask the issuer of the token`
      );
  }
}

function describeTooManyAccounts({
  count,
  max,
  demandedMemoBytes: bytes,
}: HookFault & { kind: 'too_many_accounts' }): string {
  const memo = bytes > 0 ? ` with a memo of ${bytes} bytes, which the recipient's token account makes it read` : '';
  return `its hook demands ${count} extra accounts, and Token-2022 runs out of memory beyond ${max}${memo}`;
}
