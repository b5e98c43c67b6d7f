import { Injectable, type NestMiddleware } from '@nestjs/common';
import { Settings } from '../settings/settings.ts';
import type { SandboxRequest } from '../traffic/exchange.ts';
import { Problem } from './problem.ts';

const HOST = /^(\[[\da-f:.]+\]|[\w.-]+)(:\d+)?$/i;
const WRONG_HOST =
  'Control this sandbox at localhost, at the address where it listens, or at SANDBOX_PUBLIC_URL.';
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Prevents foreign web pages from controlling the sandbox through a browser. A foreign host name that
 * resolves to this address (DNS rebinding) is detected by `Host`; a foreign form that is submitted here
 * (CSRF) is detected by `Origin`.
 * @throws Problem 421 for a host that is not this sandbox, 403 for a page from another origin
 */
@Injectable()
export class OwnHost implements NestMiddleware {
  constructor(private readonly settings: Settings) {}

  use(request: SandboxRequest, _response: unknown, next: () => void): void {
    const { host = '', origin } = request.headers;
    const { localAddress = '' } = request.socket;
    // a URL with an IP address can only use the address at which the request arrived
    const own = [localAddress.replace(/^::ffff:/, ''), this.settings.host].map(urlOf);
    const hostnames = [...own, this.settings.publicUrl].map(hostnameOf);
    const isOwn = (hostname = '') => LOOPBACK.test(hostname) || hostnames.includes(hostname);
    if (!HOST.test(host) || !isOwn(hostnameOf(`http://${host}`))) throw new Problem(421, WRONG_HOST);
    if (origin !== undefined && !isOwn(hostnameOf(origin)))
      throw new Problem(403, 'A page from elsewhere may not control this sandbox.');
    next();
  }
}

function hostnameOf(url: string): string | undefined {
  return URL.parse(url)?.hostname;
}

/** The origin at an IP address or a host name, without a port. */
export function urlOf(address: string): string {
  return `http://${address.includes(':') ? `[${address}]` : address}`;
}
