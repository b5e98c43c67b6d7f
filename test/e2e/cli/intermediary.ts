import { SandboxClient } from '../../support/sandbox-client.ts';
import { type PlatformRequest, PlatformStub } from '../../support/platform-stub.ts';

interface Changes {
  /** Selects requests that it rejects with a page of its own. */
  readonly refuses?: (request: PlatformRequest) => boolean;
  /** Rewrites the body of a response. */
  readonly rewrites?: (body: string) => string;
}

/** Starts a proxy before a sandbox, such as a CDN, which rejects some requests or rewrites responses. */
export function inFrontOf(
  url: string,
  { refuses = () => false, rewrites = String }: Changes,
): Promise<PlatformStub> {
  const sandbox = new SandboxClient(url);
  return PlatformStub.start(async (request, response) => {
    if (refuses(request)) return void response.writeHead(403).end('<html><h1>403 Forbidden</h1></html>');
    const { method, url: to, headers, body } = request;
    const sent = { method, path: to.pathname + to.search, headers: headers as Record<string, string>, body };
    const { status, text } = await sandbox.send(sent);
    response.writeHead(status).end(rewrites(text));
  });
}

export const refusesGetWithBody = ({ method, body }: PlatformRequest) => method === 'GET' && body !== '';
