import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { keypairFromName } from '../../../packages/sandbox/src/ledger/keypair.ts';
import type { Json } from '../../setup/json.ts';
import { startTestService } from '../../setup/service.ts';
import { closeAs, letClose } from '../../setup/token-account-states.ts';
import { tokenMintKinds } from '../../setup/token-mint-kinds.ts';
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
