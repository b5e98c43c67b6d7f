import 'reflect-metadata';
import type { AddressInfo } from 'node:net';

import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';

import { InternalKeys, PokerTransport } from '#messaging';
import { PlatformClients } from '#platform';
import { EXIT_CONFIG, internalKeyOf, readSettings, SettingsError, tracingOf, warningsOf } from '#settings';
import { createLogger, type Logger, Metrics, nestLogger } from '#telemetry';

import { AppModule } from './app.module.ts';
import { ConsoleFeed } from './console/console-feed.ts';
import { limitConnections, refuseForeignHosts } from './health/protect-server.ts';
import { showState } from './observers/state-metrics.ts';
import { callersOf, credentialsOf, tlsContextsOf } from './settings/reloaded-settings.ts';

/** Maximum time that a stopping worker waits for the export of the last traces, within its grace period. */
const FLUSH_MS = 5_000;

const NO_SUBJECTS =
  'no LOG_SUBJECT_KEY: a player cannot be found in these lines; with it, poker-bridge trace --player can';

/**
 * Registers the function that finishes in-flight commands when the process receives a stop signal. The
 * process then exits with code 0.
 */
export type StopBy = (logger: Logger, stop: () => Promise<void>) => void;

/**
 * Starts a worker with the settings from the environment. If they are invalid, prints the reasons and exits
 * the process.
 */
export async function startWorker(stopBy: StopBy): Promise<void> {
  try {
    await start(stopBy);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    process.stderr.write(`${error.message}\n`);
    // An open connection to Redis would keep the process alive.
    process.exit(EXIT_CONFIG);
  }
}

async function start(stopBy: StopBy): Promise<void> {
  const settings = readSettings(process.env);
  const logger = createLogger(settings.LOG_LEVEL);
  const credentials = credentialsOf(settings, process.env, logger);
  const operators = credentials.value;
  const tls = tlsContextsOf(settings, operators, logger);
  const callers = callersOf(settings, logger);
  const internalKeys = new InternalKeys(internalKeyOf(settings.INTERNAL_KEY, operators));
  for (const warning of warningsOf(settings, operators, process.env)) logger.warn(warning);
  if (settings.LOG_SUBJECT_KEY === undefined) logger.info(NO_SUBJECTS);
  const tracing = tracingOf(settings);
  // OpenTelemetry is loaded only if the settings enable traces.
  const traces = tracing && (await import('./traces/traces.ts')).openTraces(tracing, logger);
  const onMismatch = (mismatch: string): void => {
    process.stderr.write(`${mismatch} Or choose another AMQP_PREFIX.\n`);
    process.exit(EXIT_CONFIG);
  };
  const options = { settings, operators, internalKeys, tls, callers, logger, traces, onMismatch };
  const app = await NestFactory.create<NestExpressApplication>(AppModule.create(options), {
    logger: nestLogger(logger),
    // Health, metrics and console need no request body.
    bodyParser: false,
    // An open client connection would prevent a stopped worker from exiting.
    forceCloseConnections: true,
  });
  app.disable('x-powered-by');
  app.use(refuseForeignHosts(settings.HTTP_HOSTS));
  const { viewers } = app.get(ConsoleFeed);
  limitConnections(app.getHttpServer(), (socket) => viewers.has(socket));
  const platform = app.get(PlatformClients);
  const transport = app.get(PokerTransport);
  showState(app.get(Metrics), transport, platform);
  credentials.follow((changed) => {
    platform.use(changed);
    internalKeys.rotate(internalKeyOf(settings.INTERNAL_KEY, changed));
  });
  app.connectMicroservice({ strategy: transport }, { inheritAppConfig: true });
  stopBy(logger, async () => {
    const graceEndsAtMs = performance.now() + settings.SHUTDOWN_GRACE_MS;
    viewers.close();
    await transport.close();
    await app.close();
    await traces?.close(Math.min(FLUSH_MS, Math.max(0, graceEndsAtMs - performance.now())));
  });
  await app.listen(settings.HTTP_PORT, settings.HTTP_HOST).catch(refuseAddress);
  await app.startAllMicroservices();
  const { address, port } = app.getHttpServer().address() as AddressInfo;
  logger.info({ event: 'worker.started', host: address, port, lanes: settings.LANES }, 'worker started');
}

/** Reports an address that cannot be listened on like any other invalid setting. */
function refuseAddress(error: NodeJS.ErrnoException): never {
  if (error.syscall !== 'listen' && error.syscall !== 'getaddrinfo') throw error;
  throw new SettingsError([
    { variable: 'HTTP_HOST, HTTP_PORT', reason: `cannot be listened on (${error.code})` },
  ]);
}
