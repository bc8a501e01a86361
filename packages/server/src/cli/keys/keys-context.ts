import { hostname, userInfo } from 'node:os';
import { maskApiKeys } from '../../app/api-key.ts';
import type { ChangeAuthor } from '../../keys/api-key-record.ts';
import type { CommandContext } from '../command-context.ts';

/** The input and output of a `keys` command. */
export interface KeysContext extends CommandContext {
  databaseUrl: string;
}

const maxCharacters = 200;

/** Returns who runs this command on which host, as the system and `SUDO_USER` of this environment say. */
export function commandAuthor(environment: Readonly<Record<string, string | undefined>>): ChangeAuthor {
  return { user: asText(nameOfUser()), sudoUser: asText(environment.SUDO_USER), host: asText(hostname()) };
}

// In a container a user may have a number and no name.
function nameOfUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}

// It is shown on terminals, and anyone can set a variable to anything.
function asText(text: string | undefined): string | null {
  if (text === undefined || text === '') return null;
  return maskApiKeys(text).slice(0, maxCharacters).replaceAll(/\p{C}/gu, '?');
}
