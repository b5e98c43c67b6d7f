import type { AddressInfo } from 'node:net';
import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { exactJson } from '../interface/documents.ts';
import { Settings } from '../settings/settings.ts';
import type { Session } from './sessions.ts';

/** Where players and callers reach the sandbox: the setting, or where it listens. */
@Injectable()
export class PublicAddress {
  private known?: string;

  constructor(
    private readonly settings: Settings,
    private readonly adapterHost: HttpAdapterHost,
  ) {}

  /** The origin in links and in the URLs that players open, without a trailing slash. */
  get origin(): string {
    return this.settings.publicUrl ?? this.listening;
  }

  /** The origin where the sandbox listens; known once it is listening. */
  get listening(): string {
    return (this.known ??= this.findListening());
  }

  private findListening(): string {
    const server = this.adapterHost.httpAdapter.getHttpServer() as { address(): AddressInfo };
    const { address, family, port } = server.address();
    const isWildcard = address === '0.0.0.0' || address === '::';
    const host = isWildcard ? '127.0.0.1' : family === 'IPv6' ? `[${address}]` : address;
    return `http://${host}:${port}`;
  }
}

/** The URL that opens a session's lobby or table, with the token, the language and the launch options in its query. */
export function launchUrl(origin: string, session: Session): string {
  const { auth, lang, tableId, launchOptions } = session;
  const url = new URL(tableId === undefined ? '/lobby' : `/table/${tableId}`, origin);
  url.searchParams.set('auth', auth);
  url.searchParams.set('lang', lang);
  if (launchOptions !== undefined) url.searchParams.set('launchOptions', asText(launchOptions));
  return url.href;
}

function asText(launchOptions: unknown): string {
  return typeof launchOptions === 'string' ? launchOptions : exactJson(launchOptions);
}
