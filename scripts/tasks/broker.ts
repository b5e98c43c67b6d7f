import { brokerSources, findBroker } from '../broker/find-broker.ts';
import { chooseRelease } from '../broker/installation.ts';
import { isListening } from '../network.ts';
import { readOptions, runTask, toldToStop } from '../run-task.ts';

/** @throws {Error} if it is not a port, or is in use */
async function readPort(text: string | undefined): Promise<number | undefined> {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error(`--port ${text} is not a port`);
  if (await isListening(port))
    throw new Error(`port ${port} is taken: choose another one, or none for any that is free`);
  return port;
}

/** Starts a broker and keeps it until it or this process ends. */
await runTask(async () => {
  const { port: given, release } = readOptions({ port: String, release: String });
  chooseRelease(release);
  const port = await readPort(given);
  const stopped = toldToStop();
  const starting = findBroker(brokerSources({ port }));
  await using broker = await Promise.race([starting, stopped.then(() => undefined)]);
  // Interrupted during startup: the node ends with this process.
  if (broker === undefined) return;
  console.log(`${broker.url} (${broker.origin}; Ctrl-C ends it)`);
  const isStopped = await Promise.race([stopped.then(() => true), broker.ended.then(() => false)]);
  if (!isStopped) throw new Error('the broker has ended by itself');
});
