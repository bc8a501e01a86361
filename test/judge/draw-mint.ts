import type { Random } from './random.ts';
import {
  type FeeWorld,
  type MintExtension,
  type MintWorld,
  mintOddities,
  plainExtensions,
  runningHooks,
  type TokenProgramName,
} from './world.ts';

// Extensions that leave every transfer alone.
const harmlessExtensions = plainExtensions.filter((kind) => kind !== 'non_transferable' && kind !== 'unknown_type');

/** Draws a mint: one whose tokens can be transferred, or with `odd`, mostly one with something wrong. */
export function drawMint(random: Random, odd: boolean): MintWorld {
  if (odd && random.chance(0.35)) {
    return {
      kind: 'oddity',
      tokenProgram: random.pick<TokenProgramName>(['classic', 'token_2022']),
      oddity: random.pick(mintOddities),
    };
  }
  const decimals = random.integer(0, 9);
  const kind = odd ? 'token_2022' : random.weighted({ classic: 4, native: 1, token_2022: 5 });
  if (kind === 'classic') return { kind, decimals };
  if (kind === 'native') return { kind, tokenProgram: random.pick<TokenProgramName>(['classic', 'token_2022']) };
  const extensions = drawHarmlessExtensions(random);
  if (odd) addExtension(extensions, drawOddExtension(random));
  return { kind, decimals, extensions };
}

/** Adds an extension in place of one of the same kind, and what must accompany it. */
export function addExtension(extensions: MintExtension[], added: MintExtension): void {
  const at = extensions.findIndex(({ kind }) => kind === added.kind);
  if (at === -1) extensions.push(added);
  else extensions[at] = added;
  const has = (kind: MintExtension['kind']): boolean => extensions.some((extension) => extension.kind === kind);
  // The program makes no mint with one of these and without the other.
  const confidentialFee = has('confidential_transfer') && has('transfer_fee');
  if (confidentialFee && !has('confidential_transfer_fee')) extensions.push({ kind: 'confidential_transfer_fee' });
}

function drawHarmlessExtensions(random: Random): MintExtension[] {
  const extensions: MintExtension[] = [];
  const count = random.pick([0, 0, 1, 1, 2, 3, 5]);
  for (let index = 0; index < count; index += 1) addExtension(extensions, drawHarmlessExtension(random));
  return extensions;
}

function drawHarmlessExtension(random: Random): MintExtension {
  const kind = random.weighted({
    transfer_fee: 5,
    pausable: 2,
    default_account_state: 2,
    permanent_delegate: 2,
    transfer_hook: 2,
    plain: 8,
  });
  switch (kind) {
    case 'transfer_fee':
      return drawTransferFee(random);
    case 'pausable':
      return { kind, paused: false };
    case 'default_account_state':
      return { kind, frozen: false };
    case 'permanent_delegate':
      return { kind, delegate: random.pick<'somebody' | 'sender'>(['somebody', 'somebody', 'sender']) };
    case 'transfer_hook':
      return {
        kind,
        hook: random.pick(['none', 'no_extras', 'fixed_and_derived', 'derived_by_another_program'] as const),
      };
    case 'plain':
      return { kind: random.pick(harmlessExtensions) };
  }
}

function drawTransferFee(random: Random): MintExtension {
  const newerCounts = random.pick<'before' | 'from_now' | 'later'>(['before', 'from_now', 'later']);
  return { kind: 'transfer_fee', older: drawFee(random), newer: drawFee(random), newerCounts };
}

function drawFee(random: Random): FeeWorld {
  return {
    basisPoints: random.pick([0, 1, 100, 250, 9_999, 10_000, random.integer(0, 10_000)]),
    maximumFee: random.pick([0n, 1n, 5_000n, 1_000_000n, 2n ** 64n - 1n]),
  };
}

function drawOddExtension(random: Random): MintExtension {
  const kind = random.weighted({
    non_transferable: 2,
    pausable: 2,
    default_account_state: 4,
    transfer_hook: 3,
    permanent_delegate: 1,
    unknown_type: 1,
  });
  switch (kind) {
    case 'pausable':
      return { kind, paused: true };
    case 'default_account_state':
      return { kind, frozen: true };
    case 'transfer_hook':
      return {
        kind,
        hook: random.pick(['program_missing', 'list_missing', ...runningHooks, ...runningHooks] as const),
      };
    case 'permanent_delegate':
      return { kind, delegate: 'sender' };
    case 'non_transferable':
    case 'unknown_type':
      return { kind };
  }
}
