/** Lets others work before long work goes on, and resolves when it may. */
export type Pause = () => Promise<void>;

/** The number of transfers that are worked on between two pauses: a millisecond of work, whatever is done with them. */
export const transfersPerTurn = 100;

/** For work next to which nothing else is done. */
export const noPause: Pause = async () => {};
