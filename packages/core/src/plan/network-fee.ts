/** Lamports that the network charges for each signature (`DEFAULT_TARGET_LAMPORTS_PER_SIGNATURE` of the runtime). */
export const lamportsPerSignature = 5000n;
