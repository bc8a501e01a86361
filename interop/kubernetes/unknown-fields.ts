/** What checks itself by a schema, and throws when it does not fit. */
export interface Checked {
  validate(): void;
}

/**
 * Checks a value by its schema, and returns the paths of the fields that the schema does not know.
 *
 * A schema of Kubernetes has nothing against them, although the cluster refuses them. They are those that the check never reads.
 */
export function unknownFields(value: Checked): readonly string[] {
  const unread = new Set<string>();
  watched(value, '', unread).validate();
  return [...unread];
}

function watched<T extends object>(value: T, path: string, unread: Set<string>): T {
  const at = (name: string): string => `${path}/${name}`;
  for (const name of Object.keys(value)) unread.add(at(name));
  const children = new Map<string, object>();
  return new Proxy(value, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof name === 'symbol' || !Object.hasOwn(target, name)) return member;
      unread.delete(at(name));
      if (typeof member !== 'object' || member === null) return member;
      const child = children.get(name) ?? watched(member, at(name), unread);
      children.set(name, child);
      return child;
    },
  });
}
