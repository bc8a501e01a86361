/** The finding about one subject: it works, it works with a drawback, or the service cannot do without it. */
export interface Diagnosis {
  /** Such as `database` or `upstream_1`. */
  subject: string;
  level: 'ok' | 'warning' | 'failure';
  /** A sentence of what is the case, without secrets. */
  finding: string;
  /** Absent where nothing needs to be done. */
  remedy?: string;
}

const marks = { ok: 'ok      ', warning: 'warning ', failure: 'FAILURE ' } as const;

/** Writes a line for each diagnosis, and its remedy below it. */
export function formatDiagnoses(diagnoses: readonly Diagnosis[]): string {
  const width = Math.max(...diagnoses.map(({ subject }) => subject.length));
  return diagnoses
    .map(({ subject, level, finding, remedy }) => {
      const line = `${marks[level]} ${subject.padEnd(width)}  ${finding}\n`;
      return remedy === undefined ? line : `${line}${' '.repeat(marks.ok.length + width + 3)}${remedy}\n`;
    })
    .join('');
}
