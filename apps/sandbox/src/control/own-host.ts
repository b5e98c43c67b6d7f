import { Injectable, type NestMiddleware } from '@nestjs/common';
import { Settings } from '../settings/settings.ts';
import type { SandboxRequest } from '../traffic/exchange.ts';
import { Problem } from './problem.ts';

const HOST = /^(\[[\da-f:.]+\]|[\w.-]+)(:\d+)?$/i;
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Keeps foreign web pages from controlling the sandbox through a browser. Their host name can lead here (DNS
 * rebinding), which `Host` shows; their form can be sent here (CSRF), which `Origin` shows.
 * @throws Problem 421 for a host that is not this sandbox, 403 for a page from elsewhere
 */
@Injectable()
export class OwnHost implements NestMiddleware {
  private readonly configured: ReadonlySet<string | undefined>;

  constructor({ host, publicUrl }: Settings) {
    this.configured = new Set([hostnameOf(`http://${bracketed(host)}`), hostnameOf(publicUrl)]);
  }

  use(request: SandboxRequest, _response: unknown, next: () => void): void {
    const { host = '', origin } = request.headers;
    const local = bracketed(request.socket.localAddress?.replace(/^::ffff:/, '') ?? '');
    if (!HOST.test(host) || !this.isOwn(hostnameOf(`http://${host}`), local)) {
      throw new Problem(
        421,
        'Control this sandbox at localhost, at the address where it listens, or at SANDBOX_PUBLIC_URL.',
      );
    }
    if (origin !== undefined && !this.isOwn(hostnameOf(origin), local))
      throw new Problem(403, 'A page from elsewhere may not control this sandbox.');
    next();
  }

  /** @param local where the request came in: an address in a URL can be no other */
  private isOwn(hostname: string | undefined, local: string): boolean {
    if (hostname === undefined) return false;
    return LOOPBACK.test(hostname) || hostname === local || this.configured.has(hostname);
  }
}

function hostnameOf(url: string | undefined): string | undefined {
  return url === undefined ? undefined : URL.parse(url)?.hostname;
}

function bracketed(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}
