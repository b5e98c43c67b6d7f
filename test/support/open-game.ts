import { canonicalOf, digest } from '../integration/sandbox/sandbox-under-test.ts';
import type { SandboxProcess } from '../../scripts/processes/sandbox-process.ts';

/**
 * Opens a game at a sandbox, whose values are all strings and integers.
 *
 * @returns its URL
 */
export async function openGame(sandbox: SandboxProcess, session: object, player: object): Promise<string> {
  const attributes = { session, player };
  const body = { data: { attributes, type: 'OpenGame' } };
  const response = await fetch(`${await sandbox.url}/apiweb/v3/open-game?client=sandbox`, {
    method: 'POST',
    headers: {
      'content-type': 'application/vnd.api+json',
      sign: digest(canonicalOf({ client: 'sandbox', ...body })),
    },
    body: JSON.stringify(body),
  });
  const { data } = (await response.json()) as { data: { attributes: { url: string } } };
  return data.attributes.url;
}
