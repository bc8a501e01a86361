/** Lets others work before long work goes on, and resolves when it may. */
export type Pause = () => Promise<void>;

/** Between two pauses so many transfers are worked on: that takes a millisecond or so, whatever is done with them. */
export const transfersPerTurn = 100;

/** For work next to which nothing else is done. */
export const noPause: Pause = async () => {};
