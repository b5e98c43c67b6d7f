/** At SIGUSR1 Node.js opens its debugger, and with it every secret in memory; if somebody listens, it does not. */
export function refuseInspector(): void {
  process.on('SIGUSR1', () => undefined);
}
