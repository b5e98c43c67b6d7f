// Loaded before a worker: from SIGUSR2 on, its wall clock is an hour ahead. The monotonic clock does not
// change.
const AHEAD_MS = 3_600_000;
const RealDate = Date;

process.on('SIGUSR2', () => {
  globalThis.Date = class extends RealDate {
    constructor(...parts) {
      if (parts.length === 0) super(RealDate.now() + AHEAD_MS);
      else super(...parts);
    }

    static now() {
      return RealDate.now() + AHEAD_MS;
    }
  };
});
