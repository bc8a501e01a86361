import ts from 'typescript';

/** One small change of a source file: what stands from `start` to `end` becomes `replacement`. */
export interface Mutant {
  operator: Operator;
  /** Counted from 1. */
  line: number;
  start: number;
  end: number;
  original: string;
  replacement: string;
}

/** What is done to a piece of code. */
export type Operator =
  | 'delete statement'
  | 'negate condition'
  | 'shift boundary'
  | 'swap logic'
  | 'swap arithmetic'
  | 'change constant'
  | 'drop call'
  | 'return early';

const { SyntaxKind: kind } = ts;

const boundaries: ReadonlyMap<ts.SyntaxKind, string> = new Map([
  [kind.LessThanToken, '<='],
  [kind.LessThanEqualsToken, '<'],
  [kind.GreaterThanToken, '>='],
  [kind.GreaterThanEqualsToken, '>'],
]);
const comparisons: ReadonlyMap<ts.SyntaxKind, string> = new Map([
  [kind.EqualsEqualsEqualsToken, '!=='],
  [kind.ExclamationEqualsEqualsToken, '==='],
]);
const logic: ReadonlyMap<ts.SyntaxKind, string> = new Map([
  [kind.AmpersandAmpersandToken, '||'],
  [kind.BarBarToken, '&&'],
]);
const arithmetic: ReadonlyMap<ts.SyntaxKind, string> = new Map([
  [kind.PlusToken, '-'],
  [kind.MinusToken, '+'],
  [kind.AsteriskToken, '/'],
  [kind.SlashToken, '*'],
  [kind.PlusEqualsToken, '-='],
  [kind.MinusEqualsToken, '+='],
  [kind.LessThanLessThanToken, '>>'],
  [kind.GreaterThanGreaterThanToken, '<<'],
  [kind.AmpersandToken, '|'],
  [kind.BarToken, '&'],
]);

/**
 * Lists every mutant of a source file, in the order of its text.
 *
 * Texts are not changed: the wording of a message is not what a mutant is to find. A statement that throws a plain `Error` or
 * `TypeError` counts like any other.
 */
export function mutantsOf(path: string, text: string): Mutant[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const mutants: Mutant[] = [];

  const add = (operator: Operator, start: number, end: number, replacement: string): void => {
    const original = text.slice(start, end);
    if (original === replacement) return;
    const line = file.getLineAndCharacterOfPosition(start).line + 1;
    mutants.push({ operator, line, start, end, original, replacement });
  };
  const replace = (operator: Operator, node: ts.Node, replacement: string): void =>
    add(operator, node.getStart(file), node.end, replacement);
  const negate = (condition: ts.Expression): void =>
    replace('negate condition', condition, `!(${condition.getText(file)})`);

  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return;
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    if (isDeletable(node) && !isIdle(node)) replace('delete statement', node, ';');
    if (ts.isIfStatement(node) || ts.isWhileStatement(node)) negate(node.expression);
    if (ts.isConditionalExpression(node)) negate(node.condition);
    if (ts.isBinaryExpression(node)) mutateBinary(node);
    if (ts.isCallExpression(node)) dropCall(node);
    if (ts.isFunctionLike(node)) returnEarly(node);
    mutateConstant(node);
    ts.forEachChild(node, visit);
  };

  const mutateBinary = ({ operatorToken }: ts.BinaryExpression): void => {
    for (const [operator, table] of [
      ['shift boundary', boundaries],
      ['negate condition', comparisons],
      ['swap logic', logic],
      ['swap arithmetic', arithmetic],
    ] as const) {
      const other = table.get(operatorToken.kind);
      if (other !== undefined) replace(operator, operatorToken, other);
    }
  };

  // The value that goes into the call goes past it.
  const dropCall = (call: ts.CallExpression): void => {
    if (ts.isExpressionStatement(call.parent)) return;
    const passed = ts.isPropertyAccessExpression(call.expression) ? call.expression.expression : call.arguments[0];
    if (passed && passed.kind !== kind.ThisKeyword) replace('drop call', call, passed.getText(file));
  };

  const returnEarly = (node: ts.SignatureDeclaration): void => {
    if (!('body' in node) || !node.body || !ts.isBlock(node.body as ts.Node)) return;
    const body = node.body as ts.Block;
    if (ts.isConstructorDeclaration(node) || body.statements.length < 2) return;
    const start = body.getStart(file) + 1;
    add('return early', start, start, ' return;');
  };

  const mutateConstant = (node: ts.Node): void => {
    if (ts.isNumericLiteral(node)) replace('change constant', node, String(Number(node.text.replaceAll('_', '')) + 1));
    if (ts.isBigIntLiteral(node)) {
      replace('change constant', node, `${BigInt(node.text.slice(0, -1).replaceAll('_', '')) + 1n}n`);
    }
    if (node.kind === kind.TrueKeyword) replace('change constant', node, 'false');
    if (node.kind === kind.FalseKeyword) replace('change constant', node, 'true');
  };

  visit(file);
  return mutants.sort((one, other) => one.start - other.start);
}

// A declaration is not: what uses it would not run. Nor is a block, whose statements are deleted one by one.
function isDeletable(node: ts.Node): boolean {
  return (
    ts.isExpressionStatement(node) ||
    ts.isIfStatement(node) ||
    ts.isForStatement(node) ||
    ts.isForOfStatement(node) ||
    ts.isWhileStatement(node) ||
    ts.isReturnStatement(node) ||
    ts.isThrowStatement(node) ||
    ts.isBreakStatement(node) ||
    ts.isContinueStatement(node)
  );
}

// Without `return undefined` at its end a function returns undefined too.
function isIdle(node: ts.Node): boolean {
  return (
    ts.isReturnStatement(node) &&
    (node.expression === undefined || (ts.isIdentifier(node.expression) && node.expression.text === 'undefined')) &&
    ts.isBlock(node.parent) &&
    ts.isFunctionLike(node.parent.parent) &&
    node.parent.statements.at(-1) === node
  );
}
