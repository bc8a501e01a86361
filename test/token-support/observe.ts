import assert from 'node:assert/strict';
import { safetyRefusals } from '../judge/judge-refusal.ts';
import type { Json } from '../setup/json.ts';
import { readTokenAccount } from '../setup/token-account-data.ts';
import { type ChainError, sendUnchecked, type UncheckedOptions } from '../setup/token-unchecked-transfer.ts';
import { wallets } from '../setup/wallets.ts';
import type { Operation, Situation } from './situation.ts';
import type { Stage } from './stage.ts';

/** What the service said to a transfer, and what the chain made of it. */
export type Observation = 'lands' | { codes: readonly string[]; chain: ChainError };

const networkFee = 5000n;
// By name, and not by whether the table of problems has a text for it: that text excuses nothing.
const mayLand: ReadonlySet<string> = new Set([...safetyRefusals, 'insufficient_sol']);

const paths: Readonly<Record<Operation, string>> = {
  memo: '/v1/token-transfer-memo-hash',
  yid: '/v1/token-transfer-memo-hash',
  create: '/v1/create-token-account-transfer',
};

/** Asks the service for a situation's transfer, with these additional fields. */
export function requestTransfer(
  stage: Stage,
  situation: Situation,
  operation: Operation,
  options: object = {},
): Promise<Response> {
  return stage.post(paths[operation], {
    from_address: situation.sender.address,
    to_address: situation.recipient,
    token_mint_address: situation.mint.address,
    amount: situation.amount.toString(),
    ...(operation !== 'create' && { [operation]: situation.memo }),
    ...options,
  });
}

/** Sends a situation's transfer to the chain as somebody would who checks nothing. */
export function sendAnyway(
  stage: Stage,
  situation: Situation,
  operation: Operation,
  options: UncheckedOptions = {},
): Promise<ChainError> {
  const { mint, sender, recipient, amount, memo } = situation;
  const isCreate = operation === 'create';
  const wanted = { mint, sender, recipient, amount, creates: isCreate, memo: isCreate ? undefined : memo, ...options };
  return sendUnchecked(stage.sandbox, wanted);
}

/**
 * Asks the service for a transfer and lets the chain execute it either way.
 *
 * Throws an `AssertionError` when they disagree: an answer that does not land with exact balances, or a refusal of what lands
 * that is not marked as one for safety.
 */
export async function observe(stage: Stage, situation: Situation, operation: Operation): Promise<Observation> {
  const response = await requestTransfer(stage, situation, operation);
  const body: Json = await response.json();
  if (response.status === 200) {
    const bytes = Uint8Array.from(operation === 'memo' ? body.data.transaction : body.data);
    await assertLands(stage, situation, operation, bytes);
    return 'lands';
  }
  assert.equal(response.status, 422, JSON.stringify(body));
  // What a simulation finds is one problem without a list.
  const codes: string[] = (body.errors ?? [body]).map(({ code }: { code: string }) => code);
  const chain = await sendAnyway(stage, situation, operation);
  assert.ok(
    chain !== null || codes.every((code) => mayLand.has(code)),
    `refused as ${codes}, but it lands: ${body.detail}`,
  );
  return { codes, chain };
}

async function assertLands(
  { sandbox: { ledger } }: Stage,
  { mint, sender, senderTokenAccount, recipientTokenAccount, amount, memo }: Situation,
  operation: Operation,
  bytes: Uint8Array,
): Promise<void> {
  const sign = wallets.kit;
  assert.ok(sign);
  const read = () => ({
    sol: ledger.getAccount(sender.address)?.lamports ?? 0n,
    from: readTokenAccount(ledger, senderTokenAccount),
    to: readTokenAccount(ledger, recipientTokenAccount),
    held: ledger.getAccount(recipientTokenAccount)?.lamports ?? 0n,
  });
  const before = read();
  const { error, logs, signature } = ledger.sendTransaction(await sign(bytes, sender.secretKey));
  assert.equal(error, null, `answered, but it fails: ${JSON.stringify(error)}\n${logs.join('\n')}`);
  const after = read();
  const fee = mint.transferFee?.(amount) ?? 0n;
  assert.equal(after.from?.amount, (before.from?.amount ?? 0n) - amount);
  assert.equal(after.to?.amount, (before.to?.amount ?? 0n) + amount - fee);
  assert.equal(after.to?.withheld, (before.to?.withheld ?? 0n) + fee);
  // Wrapped SOL moves as lamports, too.
  const wrapped = mint.nativeMint === undefined ? 0n : amount;
  assert.equal(after.from?.lamports, (before.from?.lamports ?? 0n) - wrapped);
  const rent = after.held - before.held - wrapped;
  assert.equal(after.sol, before.sol - networkFee - rent);
  const created = before.to === undefined;
  const size = BigInt(ledger.getAccount(recipientTokenAccount)?.data.length ?? 0);
  const due = created ? ledger.minimumBalanceForRentExemption(size) - before.held : 0n;
  assert.equal(rent, due > 0n ? due : 0n);
  const recorded = operation === 'create' ? null : `[${memo.length}] ${memo}`;
  assert.equal(ledger.transactionRecord(signature)?.memo ?? null, recorded);
}
