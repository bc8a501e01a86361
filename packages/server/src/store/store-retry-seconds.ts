/** How long a caller waits before it tries again while the database of the keys does not answer. Seconds. */
export const storeRetrySeconds = 1;
