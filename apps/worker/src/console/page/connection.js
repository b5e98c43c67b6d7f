// The stream of events, and whether it is alive: a browser does not notice that a network is gone.

const SILENT_MS = 5_000;
const REOPEN_MS = 10_000;

const REFUSALS = {
  full: 'Eight others look at this worker already. This page tries again every ten seconds.',
  stopping: 'The worker is stopping: it finishes what is in flight, and takes no more.',
};

/**
 * @param onEvent called with the data of each event
 * @param onLost called with a sentence when the stream is lost, and when there is another reason; an event tells that it
 * is back
 */
export function connect(url, onEvent, onLost) {
  let source;
  let heardMs = Date.now();
  let openedMs = Date.now();
  /** Why the stream is lost; undefined while it is not. */
  let lost;
  /** The worker said that it ends the stream, which a browser reports as an error. */
  let isEnding = false;
  const lose = (reason) => {
    if (lost !== reason) onLost(reason);
    lost = reason;
  };
  const hear = (event) => {
    heardMs = Date.now();
    lost = undefined;
    onEvent(JSON.parse(event.data));
  };
  const open = () => {
    source?.close();
    openedMs = Date.now();
    source = new EventSource(url);
    source.addEventListener('now', hear);
    source.addEventListener('closing', (event) => {
      isEnding = true;
      lose(REFUSALS[JSON.parse(event.data).reason]);
    });
    source.addEventListener('error', () => {
      if (!isEnding) lose('The worker does not answer. It may be gone, or the network is.');
      isEnding = false;
    });
  };
  open();
  setInterval(() => {
    const nowMs = Date.now();
    if (lost === undefined && nowMs - heardMs > SILENT_MS)
      lose('Nothing arrives from the worker. It may be stuck, or the network is.');
    // A browser gives up by itself after some answers, and waits for a dead connection for minutes.
    const isStuck = source.readyState !== EventSource.CONNECTING && nowMs - heardMs > REOPEN_MS;
    if (lost !== undefined && isStuck && nowMs - openedMs > REOPEN_MS) open();
  }, 1_000);
}
