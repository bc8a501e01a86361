import { quoteText } from './visible-text.ts';

const maxNameShown = 64;

/** Quotes the name of a field for a sentence; a name of any length is cut. */
export function quoteName(name: string): string {
  return quoteText(name.length > maxNameShown ? `${name.slice(0, maxNameShown)}…` : name);
}

/** Returns the JSON pointer (RFC 6901) to a field of the object at `parent`; a name of any length is cut. */
export function pointerTo(name: string, parent = ''): string {
  const shown = (name.length > maxNameShown ? name.slice(0, maxNameShown) : name).toWellFormed();
  // `~` and `/` inside a name are escaped.
  return `${parent}/${shown.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
