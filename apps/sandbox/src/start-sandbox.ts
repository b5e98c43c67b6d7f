import 'reflect-metadata';
import { ConsoleLogger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Express } from 'express';
import { AppModule } from './app.module.ts';
import { openArchive } from './archive/open-archive.ts';
import { JsonApiAdapter } from './http/json-api-adapter.ts';
import { PublicAddress } from './sessions/public-address.ts';
import type { Settings } from './settings.ts';

const DRAIN_MS = 5000;
const IDLE_CHECK_MS = 20;

/** A running sandbox. */
export interface RunningSandbox {
  /** The origin: `{api_url}` is this, `{base_url}` is this and `/api/web`. */
  readonly url: string;
  /** Accepts no new requests, finishes those in flight for up to five seconds, and stops. */
  stop(): Promise<void>;
}

/**
 * Starts a sandbox platform in this process.
 * @throws SettingsError if the file of the settings cannot be used
 * @throws Error if it cannot listen on the host and port of the settings
 */
export async function startSandbox(settings: Settings): Promise<RunningSandbox> {
  const archive = await openArchive(settings.file);
  const adapter = new JsonApiAdapter();
  adapter.getInstance<Express>().disable('x-powered-by');
  const app = await NestFactory.create(AppModule.for(settings, archive), adapter, {
    bodyParser: false,
    abortOnError: false,
    logger: new ConsoleLogger({ logLevels: ['error'], colors: false }),
  });
  try {
    await app.listen(settings.port, settings.host);
  } catch (error) {
    archive.close();
    throw error;
  }
  return {
    url: app.get(PublicAddress).listening,
    stop: async () => {
      const server = adapter.getHttpServer();
      // a connection that was busy when the server closed is kept alive after its answer
      const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
      const cut = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
      await app.close().finally(() => {
        clearInterval(idle);
        clearTimeout(cut);
        archive.close();
      });
    },
  };
}
