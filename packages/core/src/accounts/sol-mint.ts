import { systemProgram } from '../addresses/programs.ts';
import type { Mint } from './token-state.ts';

/** What a transfer must know of SOL, as of a mint: its base units are lamports, and nobody but its owner moves it. */
export const solMint: Mint = {
  tokenProgram: systemProgram,
  decimals: 9,
  isPaused: false,
  pauseAuthority: undefined,
  isNonTransferable: false,
  freezesNewAccounts: false,
  thawAuthority: undefined,
  transferFeeConfig: undefined,
  transferFeeAuthority: undefined,
  transferHookProgram: undefined,
  transferHookAuthority: undefined,
  hasFreezeAuthority: false,
  permanentDelegate: undefined,
  hasCloseAuthority: false,
  isInterestBearing: false,
  hasScaledUiAmount: false,
  uiAmountConfig: undefined,
  extensionCount: 0,
  unknownExtensions: [],
  tokenAccountLength: 0,
};
