import type { Bus } from './read-bus.ts';

/** Which bus it is, without users, passwords and ports: `host[, host] /vhost prefix`. */
export function addressOf({ urls, prefix }: Bus): string {
  const nodes = urls.map((url) => new URL(url));
  const hosts = [...new Set(nodes.map(({ hostname }) => hostname))].toSorted();
  return `${hosts.join(', ')} ${nodes[0]?.pathname || '/'} ${prefix}`;
}
