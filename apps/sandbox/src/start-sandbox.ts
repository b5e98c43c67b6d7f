import 'reflect-metadata';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { ConsoleLogger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Express } from 'express';
import { AppModule } from './app.module.ts';
import { JsonApiAdapter } from './http/json-api-adapter.ts';
import { PAGE_HEADERS } from './pages/page.ts';
import { urlOf } from './control/own-host.ts';
import type { Settings } from './settings/settings.ts';

const DRAIN_MS = 5000;
const IDLE_CHECK_MS = 20;
const ASSETS = join(import.meta.dirname, 'pages/assets');

export interface RunningSandbox {
  /** The origin. `{api_url}` equals it, and `{base_url}` is the origin followed by `/api/web`. */
  readonly url: string;
  /** Accepts no new requests, finishes those in flight for up to five seconds, and stops. */
  stop(): Promise<void>;
}

/**
 * Starts a sandbox platform in this process.
 * @throws Error if it cannot listen on the host and port of the settings
 */
export async function startSandbox(given: Settings): Promise<RunningSandbox> {
  const settings = { ...given };
  const adapter = new JsonApiAdapter(settings.profile);
  adapter.getInstance<Express>().disable('x-powered-by');
  adapter.useStaticAssets(ASSETS, {
    prefix: '/assets',
    index: false,
    setHeaders: (response: ServerResponse) => response.setHeaders(new Map(Object.entries(PAGE_HEADERS))),
  });
  const app = await NestFactory.create(AppModule.for(settings), adapter, {
    bodyParser: false,
    abortOnError: false,
    logger: new ConsoleLogger({ logLevels: ['error'], colors: false }),
  });
  await app.listen(settings.port, settings.host);
  const server = adapter.getHttpServer();
  const { address, port } = server.address() as AddressInfo;
  // a wildcard address is reachable on this machine through its loopback address
  const url = `${urlOf(/^(0\.0\.0\.0|::)$/.test(address) ? '127.0.0.1' : address)}:${port}`;
  settings.publicUrl ||= url;
  return {
    url,
    stop: async () => {
      // a connection that was busy when the server closed is kept alive after its answer
      const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
      const cut = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
      await app.close().finally(() => {
        clearInterval(idle);
        clearTimeout(cut);
      });
    },
  };
}
