import type { Operation } from '../../operation.ts';
import { type FieldName, isFieldName, neededFields, optionalFields, takesField } from '../../wire/fields.ts';
import { routes } from '../../wire/routes.ts';

/** A form of the console. */
export interface ConsoleForm {
  /** What its address names: `/?form=transfer`. */
  id: 'outcome' | 'inspect' | Operation;
  /** What the list of forms calls it. */
  name: string;
  title: string;
  text: string;
  path: string;
  /** What its button says. */
  action: string;
  /** The operation whose fields it has; none of an outcome or of bytes. */
  operation: Operation | undefined;
}

type RouteParts = Pick<ConsoleForm, 'path'> & { summary: string; description: string };

const build = 'Build the transaction';

/** The forms, in the order of the list. The first one is what `/` shows. */
export const consoleForms: readonly [ConsoleForm, ...ConsoleForm[]] = [
  formOf('transfer', 'Transfer', routes.buildTransfer, build),
  formOf('batch', 'Many recipients', routes.buildBatch, 'Build the transactions'),
  formOf('payment_link', 'Payment links', routes.createPaymentLink, 'Make the link'),
  { ...formOf('transfer', 'Outcome', routes.findOutcome, 'Find the outcome'), id: 'outcome', operation: undefined },
  {
    id: 'inspect',
    name: 'Inspect bytes',
    title: 'Inspect a transaction',
    text: 'Says what any transaction does, by its bytes alone. They do not leave the browser.',
    path: '',
    action: 'Inspect',
    operation: undefined,
  },
  formOf('memo_transfer', 'Transfer with memo', routes.buildTokenTransfer, build),
  formOf('yid_transfer', 'Transfer with yid', routes.buildTokenTransfer, build),
  formOf('create_transfer', 'Transfer to a new account', routes.buildCreateTokenAccountTransfer, build),
];

/** The form that an address names; the first one where it names none. */
export function formCalled(id: string | undefined): ConsoleForm {
  return consoleForms.find((form) => form.id === id) ?? consoleForms[0];
}

/** The fields of an operation: those of its first lines, and those that few requests have. */
export function formFields(operation: Operation): { main: readonly FieldName[]; options: readonly FieldName[] } {
  const needed = neededFields(operation);
  const optional = optionalFields(operation);
  const isCommon = (name: FieldName): boolean => common.includes(name);
  return {
    main: [...needed.filter((name) => !isCommon(name)), ...common.filter((name) => takesField(operation, name))],
    options: optional.filter((name) => !isCommon(name)),
  };
}

// Amounts and notes are what people write first, in this order, whether an operation needs them or not.
const common: readonly FieldName[] = ['amount', 'amount_decimal', 'amount_min', 'amount_max', 'memo', 'yid'].filter(
  isFieldName,
);

function formOf(
  operation: Operation,
  name: string,
  { path, summary, description }: RouteParts,
  action: string,
): ConsoleForm {
  return { id: operation, name, title: summary, text: description, path, action, operation };
}
