const unreleased = '## Unreleased\n';

/**
 * The changelog with what is unreleased under the heading of a version and its date, and an empty part for what comes.
 *
 * Throws an `Error` when there is nothing to release, or the version is already there.
 */
export function releaseChangelog(changelog: string, version: string, date: string): string {
  if (changelog.includes(`\n## ${version} `)) throw new Error(`the changelog already has version ${version}`);
  if (notesOf(changelog, 'Unreleased').trim() === '') throw new Error('the changelog says nothing under "Unreleased"');
  return changelog.replace(unreleased, `${unreleased}\n## ${version} (${date})\n`);
}

/** What the changelog says under the heading that begins with `title`; empty where there is no such heading. */
export function notesOf(changelog: string, title: string): string {
  const lines = changelog.split('\n');
  const start = lines.findIndex((line) => line === `## ${title}` || line.startsWith(`## ${title} (`));
  if (start === -1) return '';
  const length = lines.slice(start + 1).findIndex((line) => line.startsWith('## '));
  return lines.slice(start + 1, length === -1 ? undefined : start + 1 + length).join('\n');
}
