import assert from 'node:assert/strict';
import {
  AccountRole,
  address,
  appendTransactionMessageInstructions,
  blockhash,
  compileTransactionMessage,
  createTransactionMessage,
  getCompiledTransactionMessageEncoder,
  type Address as KitAddress,
  type Instruction as KitInstruction,
  pipe,
  setTransactionMessageConfig,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import type { UnsignedMessage } from '../src/transaction/encode-transaction.ts';
import type { AccountMeta, Instruction } from '../src/transaction/instruction.ts';

function toKitRole({ signer, writable }: AccountMeta): AccountRole {
  if (signer) return writable ? AccountRole.WRITABLE_SIGNER : AccountRole.READONLY_SIGNER;
  return writable ? AccountRole.WRITABLE : AccountRole.READONLY;
}

/** An instruction as kit wants it. */
export function toKitInstruction({ program, accounts, data }: Instruction): KitInstruction {
  return {
    programAddress: address(program),
    accounts: accounts.map((meta) => ({ address: address(meta.address), role: toKitRole(meta) })),
    data,
  };
}

/** The message's bytes as kit compiles and encodes them. */
export function compileWithKit({
  version,
  feePayer,
  instructions,
  lifetimeToken,
  config,
}: UnsignedMessage): Uint8Array {
  const lifetime = { blockhash: blockhash(lifetimeToken), lastValidBlockHeight: 0n };
  const payer: KitAddress = address(feePayer);
  const body = instructions.map(toKitInstruction);
  if (version !== 1) {
    const message = pipe(
      createTransactionMessage({ version }),
      (empty) => setTransactionMessageFeePayer(payer, empty),
      (paid) => setTransactionMessageLifetimeUsingBlockhash(lifetime, paid),
      (alive) => appendTransactionMessageInstructions(body, alive),
    );
    return Uint8Array.from(getCompiledTransactionMessageEncoder().encode(compileTransactionMessage(message)));
  }
  assert.ok(config);
  const { priorityFee, ...limits } = config;
  const message = pipe(
    createTransactionMessage({ version }),
    (empty) => setTransactionMessageFeePayer(payer, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash(lifetime, paid),
    (alive) =>
      setTransactionMessageConfig({ ...limits, ...(priorityFee > 0n && { priorityFeeLamports: priorityFee }) }, alive),
    (limited) => appendTransactionMessageInstructions(body, limited),
  );
  return Uint8Array.from(getCompiledTransactionMessageEncoder().encode(compileTransactionMessage(message)));
}

/** A transaction of kit's message, with empty signatures. */
export function transactionOf(
  messageBytes: Uint8Array,
  version: UnsignedMessage['version'],
  signers: number,
): Uint8Array {
  const signatures = new Uint8Array(64 * signers);
  return version === 1
    ? Uint8Array.from([...messageBytes, ...signatures])
    : Uint8Array.from([signers, ...signatures, ...messageBytes]);
}
