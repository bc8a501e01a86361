import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { keypairFromName } from '../../../packages/sandbox/src/ledger/keypair.ts';
import { validationAddressOf } from '../../setup/hook-extra-account-metas.ts';
import type { Json } from '../../setup/json.ts';
import { startTestService } from '../../setup/service.ts';
import { readTokenAccount } from '../../setup/token-account-data.ts';
import { closeAs, letClose } from '../../setup/token-account-states.ts';
import { hookPlans, hookProgramOf } from '../../setup/token-hook-plans.ts';
import { tokenMintKinds } from '../../setup/token-mint-kinds.ts';
import { setLamports } from '../../setup/token-wallets.ts';
import { wallets } from '../../setup/wallets.ts';
import { requestTransfer } from '../../token-support/observe.ts';
import { arrange, type Operation, type Situation, type SituationPlan } from '../../token-support/situation.ts';

const service = await startTestService({ after });
const { ledger } = service.sandbox;
const there = { recipientHasTokenAccount: true } as const;
const thief = keypairFromName('thief');

interface Summarized {
  situation: Situation;
  reply: Json;
  summary: Json;
  codes: readonly string[];
}

let count = 0;

async function summarize(plan: SituationPlan, operation: Operation = 'yid', options: object = {}): Promise<Summarized> {
  const situation = await arrange(ledger, plan, operation, `summary ${count++}`);
  const response = await requestTransfer(service, situation, operation, { ...options, summary: true });
  const reply: Json = await response.json();
  assert.equal(response.status, 200, JSON.stringify(reply));
  return { situation, reply, summary: reply.summary, codes: reply.summary.warnings.map(({ code }: Json) => code) };
}

async function land({ situation, reply }: Summarized): Promise<void> {
  const signed = await wallets.kit?.(Uint8Array.from(reply.data), situation.sender.secretKey);
  assert.ok(signed);
  const { error, logs } = ledger.sendTransaction(signed);
  assert.equal(error, null, logs.join('\n'));
}

describe('the summary warns, checks or not,', () => {
  for (const [kind, checks] of [
    [tokenMintKinds['classic-native'], 'full'],
    [tokenMintKinds['2022-native'], 'none'],
  ] as const) {
    it(`of another wallet that can take wrapped SOL from the recipient (${kind.words}, ${kind.tokenProgram}, ${checks})`, async () => {
      const changeRecipient: SituationPlan['changeRecipient'] = (account) => letClose(account, thief);
      const built = await summarize({ kind, ...there, changeRecipient }, 'yid', { checks });
      assert.deepEqual(built.codes, ['recipient_close_authority']);
      assert.equal(built.summary.recipient_token_account_close_authority, thief.address);
      assert.equal(built.summary.sender_token_account_close_authority, null);
      // What it warns of: the payment lands, and the other takes it.
      await land(built);
      const { mint, recipientTokenAccount, amount } = built.situation;
      const held = ledger.getAccount(recipientTokenAccount)?.lamports ?? 0n;
      const before = ledger.getAccount(thief.address)?.lamports ?? 0n;
      closeAs({ ledger, mint, owner: thief, address: recipientTokenAccount }, thief, thief.address);
      assert.equal((ledger.getAccount(thief.address)?.lamports ?? 0n) - before, held);
      assert.ok(held > amount);

      const harmless = await summarize({ kind, ...there }, 'yid', { checks });
      assert.deepEqual([harmless.codes, harmless.summary.recipient_token_account_close_authority], [[], null]);
    });
  }
});

describe('the summary says', () => {
  it('which program a transfer hook is, and what it may write', async () => {
    const hooked = await summarize({ kind: tokenMintKinds['2022-hook-2'] });
    const program = hookProgramOf(hookPlans.twoExtras);
    assert.equal(hooked.summary.transfer_hook.program, program);
    const [written, ...others] = hooked.summary.transfer_hook.writable_accounts;
    assert.deepEqual(others, []);
    assert.notEqual(written, await validationAddressOf(hooked.situation.mint.address, program));
    assert.ok(hooked.codes.includes('transfer_hook'));
    await land(hooked);
  });

  it('the memo as it goes on chain, with a warning when it may be read as another', async () => {
    const memo = 'order \u202e7\u200b\n';
    const { summary, codes } = await summarize({ kind: tokenMintKinds['classic-6'], memo });
    assert.equal(summary.memo, memo);
    const ofMemo = ['memo_control_characters', 'memo_direction_characters', 'memo_invisible_characters'];
    assert.deepEqual(codes.slice(0, 3), ofMemo);
    const plain = await summarize({ kind: tokenMintKinds['classic-6'], memo: 'order 7' });
    assert.ok(!plain.codes.some((code) => code.startsWith('memo_')));
  });
});

describe('the summary says the dearest first', () => {
  const levelsOf = ({ summary }: Summarized): readonly string[] => summary.warnings.map(({ level }: Json) => level);

  it('what a mint withholds, and what arrives; last, as a note, that its issuer can change that', async () => {
    const built = await summarize({ kind: tokenMintKinds['2022-fee-1-percent'], amount: 123_456n, ...there });
    assert.deepEqual([built.codes[0], built.summary.warnings[0].level], ['transfer_fee', 'warning']);
    const { amount, received_amount: received, transfer_fee: fee } = built.summary;
    const { detail } = built.summary.warnings[0];
    assert.match(detail, new RegExp(` withholds ${fee.base_units} base units .* ${received.base_units} base units `));
    assert.equal(BigInt(amount.base_units), BigInt(fee.base_units) + BigInt(received.base_units));
    assert.deepEqual(levelsOf(built), levelsOf(built).toSorted().reverse());
    const before = readTokenAccount(ledger, built.situation.recipientTokenAccount)?.amount ?? 0n;
    await land(built);
    const after = readTokenAccount(ledger, built.situation.recipientTokenAccount)?.amount ?? 0n;
    assert.equal(`${after - before}`, received.base_units);
  });

  it('that a recipient was never used, of the recipient and of splits, until one of its accounts is there', async () => {
    const [wallet, ...strangers] = ['wallet', 'one', 'two'].map(
      (name) => keypairFromName(`never used ${name}`).address,
    );
    assert.ok(wallet);
    setLamports(ledger, wallet, 1_000_000n);
    const kind = tokenMintKinds['classic-6'];
    const situation = await arrange(ledger, { kind }, 'create', `summary ${count++}`);
    const splits = [wallet, ...strangers].map((each) => ({ to_address: each, amount: '1' }));
    const post = async (): Promise<Json> => {
      const body = {
        from_address: situation.sender.address,
        to_address: strangers[0],
        token_mint_address: situation.mint.address,
        amount: '1',
        splits: splits.filter(({ to_address: each }) => each !== strangers[0]),
      };
      const reply: Json = await (await service.post('/v1/transfers', body)).json();
      assert.ok(reply.data, JSON.stringify(reply));
      return reply.data;
    };
    const { summary, transaction } = await post();
    const [warning] = summary.warnings;
    assert.deepEqual([warning.code, warning.level], ['recipient_never_used', 'warning']);
    for (const stranger of strangers) assert.ok(warning.detail.includes(stranger));
    assert.ok(!warning.detail.includes(wallet));

    await land({ situation, summary, codes: [], reply: { data: Buffer.from(transaction, 'base64') } });
    const again = await post();
    assert.ok(!again.summary.warnings.some(({ code }: Json) => code === 'recipient_never_used'));
  });

  it('of a batch which recipients were never used, in one warning', async () => {
    const situation = await arrange(ledger, { kind: tokenMintKinds['classic-6'] }, 'memo', `summary ${count++}`);
    const strangers = ['three', 'four'].map((name) => keypairFromName(`never used ${name}`).address);
    const transfers = [situation.recipient, ...strangers].map((each) => ({ to_address: each, amount: '1' }));
    const body = { from_address: situation.sender.address, token_mint_address: situation.mint.address, transfers };
    const reply: Json = await (await service.post('/v1/transfers/batch', body)).json();
    const [warning, ...others] = reply.data.summary.warnings;
    assert.equal(warning.code, 'recipient_never_used');
    assert.match(warning.detail, new RegExp(`: ${strangers.join(', ')}\\.$`));
    assert.ok(!others.some(({ code }: Json) => code === 'recipient_never_used'));
  });
});
