import type { Operation } from '../../operation.ts';
import { type FieldName, isFieldName, neededFields, optionalFields, takesField } from '../../wire/fields.ts';
import { type RouteName, routes } from '../../wire/routes.ts';

/** A form of the console. */
export interface ConsoleForm {
  /** What its address names: `/?form=transfer`. */
  id: 'outcome' | 'inspect' | Operation;
  /** What the list of forms calls it. */
  name: string;
  title: string;
  text: string;
  path: string;
  /** The operation in the reference, `/docs#buildTransfer`, and its path; none of what is done in the browser. */
  operationId: RouteName | undefined;
  /** What its button says. */
  action: string;
  /** The operation whose fields it has; none of an outcome or of bytes. */
  operation: Operation | undefined;
}

const build = 'Build the transaction';

/** The forms, in the order of the list. The first one is what `/` shows. */
export const consoleForms: readonly [ConsoleForm, ...ConsoleForm[]] = [
  formOf('transfer', 'Transfer', 'buildTransfer', build),
  formOf('batch', 'Many recipients', 'buildBatch', 'Build the transactions'),
  formOf('payment_link', 'Payment links', 'createPaymentLink', 'Make the link'),
  { ...formOf('transfer', 'Outcome', 'findOutcome', 'Find the outcome'), id: 'outcome', operation: undefined },
  {
    id: 'inspect',
    name: 'Inspect',
    title: 'Inspect a transaction',
    text: 'Says what each byte of a transaction means: of any transaction, as it was built or as it was signed. The bytes stay in the browser.',
    path: '',
    operationId: undefined,
    action: 'Inspect',
    operation: undefined,
  },
  formOf('memo_transfer', 'Memo transfer', 'buildTokenTransfer', build),
  formOf('yid_transfer', 'Yid transfer', 'buildTokenTransfer', build),
  formOf('create_transfer', 'Create transfer', 'buildCreateTokenAccountTransfer', build),
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

function formOf(operation: Operation, name: string, operationId: RouteName, action: string): ConsoleForm {
  const { path, summary, description } = routes[operationId];
  return { id: operation, name, title: summary, text: description, path, operationId, action, operation };
}
