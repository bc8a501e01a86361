import type { ApiKeyRecord, ChangeAuthor, ChangedSettings, KeyChange } from '../../keys/key-store.ts';
import { formatTable } from '../table.ts';

/** Returns a change as `--json` prints it. */
export function describeChange({ at, action, keyId, newKeyId, name, changes, author }: KeyChange) {
  return {
    at: at.toISOString(),
    action,
    id: keyId,
    ...(newKeyId !== null && { new_id: newKeyId }),
    name,
    changes,
    user: author.user,
    ...(author.sudoUser !== null && { sudo_user: author.sudoUser }),
    host: author.host,
  };
}

/** Returns a table of changes with a heading, a line for each. */
export function formatChanges(changes: readonly KeyChange[]): string {
  return formatTable([
    ['AT', 'ID', 'NAME', 'BY', 'CHANGE'],
    ...changes.map((change) => [
      change.at.toISOString(),
      change.keyId,
      change.name,
      authorText(change.author),
      changeText(change),
    ]),
  ]);
}

/** Returns the sentence about keys whose beginning is not in the history; `undefined` when there are none. */
export function explainUnrecorded(keys: readonly ApiKeyRecord[], recorded: ReadonlySet<string>): string | undefined {
  const [first, ...others] = keys.filter(({ id }) => !recorded.has(id));
  if (first === undefined) return undefined;
  return others.length === 0
    ? `Key ${first.id} (${first.name}) was made before changes were recorded: only later changes of it are here.\n`
    : `${others.length + 1} keys were made before changes were recorded: only later changes of them are here.\n`;
}

function authorText({ user, sudoUser, host }: ChangeAuthor): string {
  const who = user ?? 'unknown';
  return `${sudoUser === null ? who : `${sudoUser} as ${who}`}${host === null ? '' : ` at ${host}`}`;
}

function changeText({ action, newKeyId, changes }: KeyChange): string {
  const replaced = newKeyId === null ? '' : ` to ${newKeyId}`;
  const texts = Object.entries(action === 'created' ? withoutName(changes) : changes).map(([field, { from, to }]) =>
    action === 'created' ? `${field} ${valueText(to)}` : `${field} ${valueText(from)} -> ${valueText(to)}`,
  );
  return `${action}${replaced}${texts.length === 0 ? '' : `: ${texts.join(', ')}`}`;
}

// It has a column of its own.
function withoutName({ name: _, ...others }: ChangedSettings): ChangedSettings {
  return others;
}

function valueText(value: unknown): string {
  if (value === null) return 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
