/**
 * How long a test waits for something that happens by itself. It costs nothing if it happens, and a busy machine
 * takes many times as long as an idle one. Jest's own timeout for a test is longer, so that the wait can say what for.
 */
export const WAIT_TIMEOUT_MS = 60_000;
