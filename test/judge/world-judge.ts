/** Judges worlds one after the other, for the command. */
export interface WorldJudge {
  /** What the worlds are judged under, as the end of a line. */
  conditions: string;
  /** Judges one world more. */
  judge(number: number): Promise<JudgedWorld>;
  /** How many worlds there were, and how many of them disagree. */
  counts(): { worlds: number; disagreeing: number };
  /** What came of all worlds, in lines. */
  describe(): string;
  /** Ends what was started. */
  close(): Promise<void>;
}

/** What came of one world. */
export interface JudgedWorld {
  disagrees: boolean;
  /** All about it, in lines. */
  description: string;
  /** The command, in one line, that judges just this world. */
  replay: string;
}
