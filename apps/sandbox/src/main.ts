import { EXIT_CONFIG, SettingsError } from '#settings';
import { readSettings } from './settings/settings.ts';
import { startSandbox } from './start-sandbox.ts';

try {
  const sandbox = await startSandbox(readSettings());
  process.stdout.write(`sandbox listening on ${sandbox.url}\n`);
  const stop = () => void sandbox.stop();
  process.once('SIGTERM', stop).once('SIGINT', stop);
} catch (error) {
  process.exitCode = error instanceof SettingsError ? EXIT_CONFIG : 1;
  process.stderr.write(`sandbox: ${(error as Error).message.replaceAll('\n', '\nsandbox: ')}\n`);
}
