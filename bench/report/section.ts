import type { Result } from './targets.ts';

/** What one part of the benchmark has to say. */
export interface Section {
  title: string;
  /** How it was measured, in a few sentences. */
  method: string;
  head: readonly string[];
  rows: readonly (readonly string[])[];
  /** What a reader should know of the figures. */
  notes: readonly string[];
  results: readonly Result[];
}

/** A section as Markdown. */
export function sectionToMarkdown(section: Section): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const table = [line(section.head), line(section.head.map(() => '---')), ...section.rows.map(line)];
  const notes = section.notes.map((note) => `- ${note}`);
  return [`## ${section.title}`, section.method, table.join('\n'), notes.join('\n')]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** A number with three digits, or all those before the point. */
export function figure(value: number): string {
  if (value >= 1000) return Math.round(value).toLocaleString('en');
  return String(Number(value.toPrecision(3)));
}
