import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import papa from 'papaparse';
import { propertyRuns } from '../../../test/setup/property-runs.ts';
import type { BatchTransfer } from '../src/api-types.ts';
import { readPayments, summarizePayments } from '../src/payments-file.ts';

const [alice, bob] = ['7Py7JWKDDJfk9u78BBRYCdNXbdS5sMpZfp1GMveQriFu', '2CPAqpbRiZqJYh4ZSviojsaYkD49aUktc8tk29QkybtC'];
const payroll = { wallet: 'to_address', amount: 'amount_decimal', memo: 'memo' } as const;
const fields = { to_address: 'to_address', amount: 'amount', amount_decimal: 'amount_decimal', memo: 'memo' } as const;
const withMint = { ...fields, token_mint_address: 'token_mint_address' } as const;
const mint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';

const paymentsOf = (text: string): BatchTransfer[] => {
  const { payments, faults } = readPayments(papa, text, payroll);
  assert.deepEqual(faults, []);
  return payments;
};
/** The faults of a file as people read them; it must then pay nobody. */
const faultsOf = (text: string, columns: Parameters<typeof readPayments>[2] = payroll): string[] => {
  const { payments, lines, faults } = readPayments(papa, text, columns);
  assert.ok(faults.length > 0, 'it is read');
  assert.deepEqual([payments, lines], [[], []]);
  return faults.map(({ line, column, detail }) => `${line}:${column} ${detail}`);
};

describe('a file of payments', () => {
  it('has commas, semicolons or tabs between its cells, any line ends, and a byte order mark or none', () => {
    const text = `wallet,amount,memo\n${alice},1.5,a\n${bob},2,\n`;
    for (const separator of [',', ';', '\t']) {
      for (const end of ['\n', '\r\n', '\r']) {
        for (const mark of ['', '\ufeff']) {
          const read = readPayments(papa, mark + text.replaceAll(',', separator).replaceAll('\n', end), payroll);
          assert.deepEqual(read, {
            payments: [
              { to_address: alice, amount_decimal: '1.5', memo: 'a' },
              { to_address: bob, amount_decimal: '2' },
            ],
            lines: [2, 3],
            faults: [],
          });
        }
      }
    }
  });

  it('may be quoted throughout, and has no quote in a memo but one that is doubled', () => {
    const text = `"wallet","amount","memo"\r\n"${alice}","1.5","salary 11/2026"\r\n"${bob}","2","part time, ""half"""\r\n`;
    assert.deepEqual(paymentsOf(text), [
      { to_address: alice, amount_decimal: '1.5', memo: 'salary 11/2026' },
      { to_address: bob, amount_decimal: '2', memo: 'part time, "half"' },
    ]);
  });

  it('may have its columns in any order, and lines without a cell anywhere', () => {
    const read = readPayments(
      papa,
      `\n \n AMOUNT ,Memo,wallet\n\n1, of May ,${alice}\n,,\n\t\n"",,\n2,,${bob}\n\n`,
      payroll,
    );
    assert.deepEqual(read, {
      payments: [
        { to_address: alice, amount_decimal: '1', memo: ' of May ' },
        { to_address: bob, amount_decimal: '2' },
      ],
      lines: [5, 9],
      faults: [],
    });
  });

  it('gives the line where each payment begins, also after cells of several lines', () => {
    const { payments, lines } = readPayments(
      papa,
      `wallet,memo,amount\n${alice},"one\r\ntwo\rthree",1\n\n${bob},,2`,
      payroll,
    );
    assert.deepEqual(lines, [2, 6]);
    assert.equal(payments[0]?.memo, 'one\ntwo\nthree');
  });

  it('pays in the token that a line names, and sums up each token by itself', () => {
    const text = `to_address,amount_decimal,token_mint_address\n${alice},1.5,\n${bob},2,${mint}\n${bob},0.1,SOL\n${alice},3,${mint}`;
    const { payments, faults } = readPayments(papa, text, withMint);
    assert.deepEqual(
      [faults, payments],
      [
        [],
        [
          { to_address: alice, amount_decimal: '1.5' },
          { to_address: bob, amount_decimal: '2', token_mint_address: mint },
          { to_address: bob, amount_decimal: '0.1', token_mint_address: 'SOL' },
          { to_address: alice, amount_decimal: '3', token_mint_address: mint },
        ],
      ],
    );
    const sums = `1.5 tokens and 5 tokens of ${mint} and 0.1 tokens of SOL`;
    assert.equal(summarizePayments(payments), `4 payments to 2 wallets, ${sums} in all, no memos`);
    assert.deepEqual(faultsOf(`to_address,amount,token_mint_address\n${alice},1,USDC`, withMint), [
      '2:3 "USDC" is not an address of a mint.',
    ]);
  });

  it('is refused without the names of its columns, so that its first person is not lost', () => {
    const names = 'this is a payment. The first line must name the columns: wallet, amount, memo.';
    assert.deepEqual(faultsOf(`${alice},1.5,a\n${bob},2,b`), [`1:1 ${names}`]);
    assert.deepEqual(faultsOf(`\n"${alice}";"1.5"`), [`2:1 ${names}`]);
    assert.deepEqual(faultsOf(`1.5\t${alice}`), [`1:1 ${names}`]);
  });

  it('is refused with a column that is not known, there twice, or missing', () => {
    const names = 'The first line must name the columns: wallet, amount, memo.';
    assert.deepEqual(faultsOf(`wallet,sum\n${alice},1`), [
      `1:2 "sum" is no column. ${names}`,
      '1:3 there is no column amount.',
    ]);
    assert.deepEqual(faultsOf(`wallet,amount,constructor,\n${alice},1,,`), [
      `1:3 "constructor" is no column. ${names}`,
      `1:4 "" is no column. ${names}`,
    ]);
    assert.deepEqual(faultsOf(`wallet,amount,amount\n${alice},1,2`), ['1:3 the column amount is there twice.']);
    assert.deepEqual(faultsOf('memo\nx'), ['1:2 there is no column wallet.', '1:2 there is no column amount.']);
    assert.deepEqual(faultsOf(`to_address\n${alice}`, fields), ['1:2 there is no column amount or amount_decimal.']);
    // The same names never mean another amount: base units here, whole tokens there.
    assert.match(faultsOf(`to_address,amount\n${alice},1`).join(), /"to_address" is no column/);
    assert.match(faultsOf(`wallet,amount\n${alice},1`, fields).join(), /"wallet" is no column/);
  });

  it('is refused when it pays nobody', () => {
    assert.deepEqual(faultsOf(''), ['1:1 the file is empty. Its columns are wallet, amount, memo.']);
    assert.deepEqual(faultsOf('\ufeff \r\n,,\n'), ['1:1 the file is empty. Its columns are wallet, amount, memo.']);
    assert.deepEqual(faultsOf('wallet,amount\n\n'), ['1:1 no payment follows the names of the columns.']);
  });

  it('is refused with a row of more or fewer cells than it has columns', () => {
    const cells = (count: number): string =>
      `the line has ${count} cells, and line 1 names 3 columns. A cell with a separator in it needs quotes.`;
    assert.deepEqual(faultsOf(`wallet,amount,memo\n${alice},1,234.50,x\n\n${bob},5\n${bob},5,`), [
      `2:4 ${cells(4)}`,
      `4:3 ${cells(2)}`,
    ]);
  });

  it('has no amount that may have a point for thousands, where the comma may be for decimals', () => {
    for (const separator of [';', '\t']) {
      const fileOf = (amount: string): string => `wallet${separator}amount\n${alice}${separator}${amount}\n`;
      for (const [amount, whole] of [
        ['1.500', '1500'],
        ['12.000', '12000'],
        ['123.456', '123456'],
      ] as const) {
        const detail = `"${amount}" can be read in two ways. Write ${whole}, or ${amount}0.`;
        assert.deepEqual(faultsOf(fileOf(amount)), [`2:2 ${detail}`]);
        paymentsOf(fileOf(amount).replaceAll(separator, ','));
        paymentsOf(fileOf(whole));
        paymentsOf(fileOf(`${amount}0`));
      }
      for (const amount of ['0.500', '1.50', '1234.500']) paymentsOf(fileOf(amount));
    }
  });

  it('has its invisible characters named by code point where it is cited', () => {
    for (const code of [0x200b, 0xa0, 0x202f, 0xfeff]) {
      const name = `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
      const [fault = ''] = faultsOf(`wallet,amount\n${alice},1${String.fromCodePoint(code)}500\n`);
      assert.ok(fault.startsWith(`2:2 "1${name}500" is not an amount.`), fault);
    }
  });

  it('is refused with an amount that has separators, a sign or no digits, or is zero', () => {
    const remedy = 'Write digits with a point before decimals and no other separator, such as 1234.50.';
    for (const amount of [
      '1,234.50',
      '1 000',
      '1.234,50',
      "1'000",
      '1,5',
      '.5',
      '5.',
      '-1',
      '+1',
      '1e3',
      '0',
      '0.00',
      'x',
    ]) {
      const faults = faultsOf(`wallet;amount\n${bob};1\n${alice};${amount}`);
      assert.deepEqual(faults, [`3:2 ${JSON.stringify(amount)} is not an amount. ${remedy}`]);
      const quoted = faultsOf(`wallet,amount,memo\n${alice},"${amount}",x`);
      assert.deepEqual(quoted, [`2:2 ${JSON.stringify(amount)} is not an amount. ${remedy}`]);
    }
    for (const amount of ['1.5', '1,500', '0', '-1', '184467440737095516150']) {
      assert.deepEqual(faultsOf(`to_address;amount\n${alice};${amount}`, fields), [
        `2:2 ${JSON.stringify(amount)} is not an amount. Write base units in digits alone, such as 1500000.`,
      ]);
    }
  });

  it('is refused with a row that has no wallet, no amount, or two of them', () => {
    assert.deepEqual(faultsOf(`wallet,amount\n,1\nbob,1\n${alice},`), [
      '2:1 "" is not an address of a wallet.',
      '3:1 "bob" is not an address of a wallet.',
      '4:2 the line has no amount.',
    ]);
    assert.deepEqual(faultsOf(`to_address,amount,amount_decimal\n${alice},1,1`, fields), [
      '2:3 the line has two amounts.',
    ]);
  });

  it('is refused with a quote that is not closed, goes on after its end, or stands within a cell', () => {
    const detail = 'a quote is not closed, or something other than a separator follows it.';
    const head = `wallet,amount,memo\n${bob},1,"a ""b"""\n\n`;
    assert.deepEqual(faultsOf(`${head}${alice},1,"salary\n${bob},2,x`), [`4:3 ${detail}`]);
    assert.deepEqual(faultsOf(`${head}${alice},1,"salary" 11`), [`4:3 ${detail}`]);
    assert.deepEqual(faultsOf(`${head}${alice},"1"0,x\n${bob},2,"y"`), [`4:2 ${detail}`]);
    assert.deepEqual(faultsOf(`${head}${alice},1, "salary"`), [`4:3 ${detail}`]);
    assert.deepEqual(faultsOf(`${head}${alice},1,7" disk`), [`4:3 ${detail}`]);
  });

  it('is refused when its encoding is not UTF-8, which would be a memo with a character lost', () => {
    const bytes = Buffer.from(`wallet,amount,memo\n${alice},1,caf\xe9`, 'latin1');
    assert.deepEqual(faultsOf(bytes.toString('utf8')), ['2:3 a character is lost. Save the file as UTF-8.']);
  });
});

// What stands in cells and between them, so that many texts are nearly files.
const piece = fc.constantFrom(
  '"',
  '""',
  ',',
  ';',
  '\t',
  '\n',
  '\r\n',
  '\r',
  ' ',
  '1',
  '.5',
  'é',
  '\ufeff',
  alice,
  'wallet',
  'amount',
  'memo',
);
const memo = fc
  .oneof(
    fc.string({ unit: 'grapheme' }),
    fc.array(piece).map((pieces) => pieces.join('')),
  )
  .map((text) => text.replaceAll(/\r\n?/g, '\n'))
  .filter((text) => text.trim() !== '' && !text.includes('\ufffd'));
const payment = fc.record(
  {
    to_address: fc.constantFrom(alice, bob),
    amount_decimal: fc.tuple(fc.nat(), fc.nat()).map(([whole, fraction]) => `${whole}.${fraction}0001`),
    memo,
  },
  { requiredKeys: ['to_address', 'amount_decimal'], noNullPrototype: true },
);
const dialect = fc.record({
  separator: fc.constantFrom(',', ';', '\t'),
  end: fc.constantFrom('\n', '\r\n', '\r'),
  mark: fc.constantFrom('', '\ufeff'),
  isQuoted: fc.boolean(),
  order: fc.constantFrom(['wallet', 'amount', 'memo'], ['memo', 'wallet', 'amount'], ['Amount', 'MEMO', 'wallet']),
  blanks: fc.array(fc.nat({ max: 2 }), { minLength: 1, maxLength: 5 }),
});

describe('any file of payments', () => {
  it('is read as it was written, in any dialect', () => {
    fc.assert(
      fc.property(
        fc.array(payment, { minLength: 1 }),
        dialect,
        (payments, { separator, end, mark, isQuoted, order, blanks }) => {
          const write = (cell: string): string =>
            isQuoted || /["\n\r,;\t]/.test(cell) ? `"${cell.replaceAll('"', '""').replaceAll('\n', end)}"` : cell;
          const rows = payments.map((each) =>
            order.map((name) => {
              const field = { wallet: each.to_address, amount: each.amount_decimal, memo: each.memo };
              return field[name.toLowerCase() as keyof typeof field] ?? '';
            }),
          );
          const lines = [order, ...rows].map((cells, index) => {
            return end.repeat(blanks[index % blanks.length] ?? 0) + cells.map(write).join(separator);
          });
          const read = readPayments(papa, mark + lines.join(end), payroll);
          assert.deepEqual(read.faults, []);
          assert.deepEqual(read.payments, payments);
          const source = lines.join(end).split(end);
          for (const [index, line] of read.lines.entries()) {
            assert.ok(
              source[line - 1] !== '' && lines[index + 1]?.trimStart().startsWith(source[line - 1]?.trimStart() ?? ''),
            );
          }
        },
      ),
    );
  });

  it('gives payments for all of its lines, or faults with a line and a column; it never throws', () => {
    const start = fc.constantFrom('', 'wallet,amount,memo\n', 'wallet;amount\n', `"wallet"\t"amount"\r\n${alice}\t`);
    const text = fc.tuple(start, fc.array(piece)).map(([head, pieces]) => head + pieces.join(''));
    fc.assert(
      fc.property(fc.oneof(text, fc.string({ unit: 'binary' })), (written) => {
        const { payments, lines, faults } = readPayments(papa, written, payroll);
        const lineCount = written.split(/\r\n|\r|\n/).length;
        for (const { line, column, detail } of faults) {
          assert.ok(line >= 1 && line <= lineCount && column >= 1 && detail.endsWith('.'), detail);
        }
        assert.equal(payments.length === 0, faults.length > 0);
        assert.equal(lines.length, payments.length);
        for (const { to_address: to, amount_decimal: amount, memo: note } of payments) {
          assert.ok([alice, bob].includes(to) && /^[0-9]+(\.[0-9]+)?$/.test(String(amount)) && note?.trim() !== '');
        }
        // Each wallet that is named outside of a memo is paid.
        const isPlain = !written.includes('"') && !/memo/i.test(written);
        if (isPlain && payments.length > 0) assert.equal(written.split(alice).length - 1, payments.length);
      }),
      { numRuns: propertyRuns(1_000) },
    );
  });
});

describe('the sum of payments', () => {
  it('has how many to how many wallets, the exact total, and the memos', () => {
    assert.equal(
      summarizePayments([
        { to_address: alice, amount_decimal: '1.5', memo: 'x' },
        { to_address: alice, amount_decimal: '2.25', memo: 'y' },
        { to_address: bob, amount_decimal: '0.000001' },
      ]),
      '3 payments to 2 wallets, 3.750001 tokens in all, 2 memos',
    );
    assert.equal(
      summarizePayments([{ to_address: alice, amount_decimal: '10' }]),
      '1 payment to 1 wallet, 10 tokens in all, no memos',
    );
    assert.equal(
      summarizePayments([
        { to_address: alice, amount_decimal: '9007199254740993.5', memo: 'x' },
        { to_address: bob, amount_decimal: '0.5' },
        { to_address: bob, amount: 3n },
        { to_address: bob, amount: '4' },
      ]),
      '4 payments to 2 wallets, 9007199254740994 tokens and 7 base units in all, 1 memo',
    );
  });
});
