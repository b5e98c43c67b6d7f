import { EXIT_CONFIG, SettingsError } from '#settings';
import { readSettings, type Settings } from './settings/settings.ts';
import { startSandbox } from './start-sandbox.ts';

try {
  await run(readSettings());
} catch (error) {
  process.exitCode = error instanceof SettingsError ? EXIT_CONFIG : 1;
  process.stderr.write(`sandbox: ${(error as Error).message.replaceAll('\n', '\nsandbox: ')}\n`);
}

async function run(settings: Settings): Promise<void> {
  const sandbox = await startSandbox(settings);
  process.stdout.write(`sandbox listening on ${sandbox.url}\n`);
  const stop = () => void sandbox.stop();
  process.once('SIGTERM', stop).once('SIGINT', stop);
}
