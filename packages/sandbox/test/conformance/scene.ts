import assert from 'node:assert/strict';
import {
  type Address,
  address,
  blockhash,
  createNoopSigner,
  getBase58Decoder,
  getBase58Encoder,
  getCompiledTransactionMessageEncoder,
  getTransactionEncoder,
  type Instruction,
  type SignatureBytes,
} from '@solana/kit';
import { getCreateAccountInstruction, getInitializeNonceAccountInstruction } from '@solana-program/system';
import {
  type ExtensionArgs,
  extension,
  findAssociatedTokenPda,
  getCreateAssociatedTokenIdempotentInstruction,
  getInitializeMetadataPointerInstruction,
  getInitializeMint2Instruction,
  getInitializeMintCloseAuthorityInstruction,
  getInitializePermanentDelegateInstruction,
  getInitializeTokenMetadataInstruction,
  getInitializeTransferFeeConfigInstruction,
  getMintSize,
  getMintToInstruction,
  TOKEN_2022_PROGRAM_ADDRESS,
} from '@solana-program/token-2022';
import type { Sandbox } from '../../src/index.ts';
import { type Keypair, keypairFromName } from '../../src/ledger/keypair.ts';
import { signed } from '../fixtures.ts';

/** A transaction as it was recorded, its accounts named as in the recording. */
export interface RecordedTransaction {
  version: 'legacy' | 0;
  header: {
    numSignerAccounts: number;
    numReadonlySignerAccounts: number;
    numReadonlyNonSignerAccounts: number;
  };
  accounts: readonly string[];
  instructions: readonly { program: number; accounts: number[]; data: string }[];
}

/** The rent of the node that was recorded. */
export const recordedLamportsPerByte = 6_960n;

/** What the recorded mint holds: more than its rent. */
const mint2022Lamports = 6_584_160n;

const systemProgram = address('11111111111111111111111111111111');

/** Encodes a recorded transaction with this sandbox's addresses and blockhash, signed by those signers that are given. */
export function encodeRecorded(
  recorded: RecordedTransaction,
  accounts: readonly Address[],
  lifetimeToken: string,
  signers: readonly Keypair[],
): Uint8Array {
  const instructions = recorded.instructions.map((each) => ({
    programAddressIndex: each.program,
    accountIndices: each.accounts,
    data: getBase58Encoder().encode(each.data),
  }));
  const message = {
    header: recorded.header,
    staticAccounts: [...accounts],
    lifetimeToken: blockhash(lifetimeToken),
    instructions,
  };
  const messageBytes = Uint8Array.from(
    getCompiledTransactionMessageEncoder().encode(
      recorded.version === 0 ? { ...message, version: 0, addressTableLookups: [] } : { ...message, version: 'legacy' },
    ),
  );
  const required = accounts.slice(0, recorded.header.numSignerAccounts);
  const signatures = Object.fromEntries(
    required.map((each) => {
      const signer = signers.find((candidate) => candidate.address === each);
      // kit brands 64 bytes as a signature; these are one, just made.
      return [each, signer === undefined ? null : (signer.sign(messageBytes) as SignatureBytes)];
    }),
  );
  // kit brands the bytes of a message; these are one.
  const transaction = { messageBytes, signatures } as unknown as Parameters<
    ReturnType<typeof getTransactionEncoder>['encode']
  >[0];
  return Uint8Array.from(getTransactionEncoder().encode(transaction));
}

/** Runs instructions as a transaction that must succeed, in a slot of its own. */
export function run(
  sandbox: Sandbox,
  instructions: readonly Instruction[],
  ...signers: [Keypair, ...Keypair[]]
): string {
  sandbox.ledger.advanceSlots(1);
  const { error, logs, signature } = sandbox.ledger.sendTransaction(signed(sandbox, instructions, ...signers));
  assert.equal(error, null, logs.join('\n'));
  return signature;
}

function createAccount(
  sandbox: Sandbox,
  payer: Keypair,
  account: Keypair,
  program: Address,
  space: bigint,
  lamports = sandbox.ledger.minimumBalanceForRentExemption(space),
) {
  return getCreateAccountInstruction({
    payer: createNoopSigner(payer.address),
    newAccount: createNoopSigner(account.address),
    lamports,
    space,
    programAddress: program,
  });
}

/** What a mint has beyond six decimals and the payer as its authority. */
interface MintParts {
  program: Address;
  freezeAuthority?: Address;
  extensions?: ExtensionArgs[];
  /** Instructions before and after the mint is initialized. */
  before?: (mint: Address) => Instruction[];
  after?: (mint: Address) => Instruction[];
  /** More than its rent. */
  lamports?: bigint;
}

/** Makes a mint and gives its address. */
export function makeMint(sandbox: Sandbox, payer: Keypair, name: string, parts: MintParts): Address {
  const { program, freezeAuthority, extensions, lamports } = parts;
  const keypair = keypairFromName(`conformance ${name}`);
  const mint = keypair.address;
  const creation = createAccount(sandbox, payer, keypair, program, BigInt(getMintSize(extensions)), lamports);
  const authorities = { mintAuthority: payer.address, ...(freezeAuthority && { freezeAuthority }) };
  const initialization = getInitializeMint2Instruction(
    { mint, decimals: 6, ...authorities },
    { programAddress: program },
  );
  const [before, after] = [parts.before?.(mint) ?? [], parts.after?.(mint) ?? []];
  run(sandbox, [creation, ...before, initialization, ...after], payer, keypair);
  return mint;
}

/** Makes the recorded mint of Token-2022: a fee, a permanent delegate, metadata and more. */
export function makeMint2022(sandbox: Sandbox, payer: Keypair): Address {
  const authority = payer.address;
  const fee = { epoch: 0n, maximumFee: 5000n, transferFeeBasisPoints: 50 };
  const feeAuthorities = { transferFeeConfigAuthority: authority, withdrawWithheldAuthority: authority };
  const metadata = { name: 'Example Dollar', symbol: 'EXD', uri: 'https://example.com/exd.json' };
  const fees = { withheldAmount: 0n, olderTransferFee: fee, newerTransferFee: fee };
  return makeMint(sandbox, payer, 'mint 2022', {
    program: TOKEN_2022_PROGRAM_ADDRESS,
    freezeAuthority: authority,
    lamports: mint2022Lamports,
    extensions: [
      extension('TransferFeeConfig', { ...feeAuthorities, ...fees }),
      extension('MintCloseAuthority', { closeAuthority: authority }),
      extension('PermanentDelegate', { delegate: authority }),
      extension('MetadataPointer', { authority, metadataAddress: authority }),
    ],
    before: (mint) => [
      getInitializeTransferFeeConfigInstruction({ mint, ...feeAuthorities, ...fee }),
      getInitializeMintCloseAuthorityInstruction({ mint, closeAuthority: authority }),
      getInitializePermanentDelegateInstruction({ mint, delegate: authority }),
      getInitializeMetadataPointerInstruction({ mint, authority, metadataAddress: mint }),
    ],
    after: (mint) => {
      const owners = { metadata: mint, mint, updateAuthority: authority, mintAuthority: createNoopSigner(authority) };
      return [getInitializeTokenMetadataInstruction({ ...owners, ...metadata })];
    },
  });
}

/** Gives a wallet's token account. */
export async function tokenAccountOf(owner: Address, mint: Address, tokenProgram: Address): Promise<Address> {
  return (await findAssociatedTokenPda({ owner, mint, tokenProgram }))[0];
}

/** Makes a wallet's token account in one transaction and fills it in another, which the recorded history shows. */
export async function makeTokenAccount(
  sandbox: Sandbox,
  payer: Keypair,
  owner: Address,
  mint: Address,
  tokenProgram: Address,
  amount: bigint,
): Promise<Address> {
  const ata = await tokenAccountOf(owner, mint, tokenProgram);
  const signer = createNoopSigner(payer.address);
  run(
    sandbox,
    [getCreateAssociatedTokenIdempotentInstruction({ payer: signer, ata, owner, mint, tokenProgram })],
    payer,
  );
  if (amount === 0n) return ata;
  const minting = getMintToInstruction(
    { mint, token: ata, mintAuthority: signer, amount },
    { programAddress: tokenProgram },
  );
  run(sandbox, [minting], payer);
  return ata;
}

/** Makes a durable nonce account of the payer's. */
export function makeNonceAccount(sandbox: Sandbox, payer: Keypair): Address {
  const account = keypairFromName('conformance nonce account');
  const initialize = getInitializeNonceAccountInstruction({
    nonceAccount: account.address,
    nonceAuthority: payer.address,
  });
  run(sandbox, [createAccount(sandbox, payer, account, systemProgram, 80n), initialize], payer, account);
  return account.address;
}

/** The nonce that an account stores, in base58. */
export function storedNonce(sandbox: Sandbox, account: Address): string {
  const data = sandbox.ledger.getAccount(account)?.data ?? assert.fail();
  return getBase58Decoder().decode(data.slice(40, 72));
}

/** A wallet with these lamports, which were final long ago. */
export function fundedWallet(sandbox: Sandbox, name: string, lamports: bigint): Keypair {
  const wallet = keypairFromName(`conformance ${name}`);
  assert.equal(sandbox.ledger.airdrop(wallet.address, lamports).error, null);
  return wallet;
}
