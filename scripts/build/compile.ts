import { join, relative } from 'node:path';
import { transformFile } from '@swc/core';

/**
 * Compiles one TypeScript file by the repository's `.swcrc`.
 *
 * @param path relative to the repository
 * @returns JavaScript, and its source map with the source's path relative to the place of the output in `dist`
 */
export async function compile(root: string, path: string): Promise<{ code: string; map: string }> {
  const { code, map = '' } = await transformFile(join(root, path), {
    configFile: join(root, '.swcrc'),
    cwd: root,
    sourceMaps: true,
    sourceFileName: relative(join(root, 'dist', path, '..'), join(root, path)),
  });
  // A workspace package names the others as those who install it find them; here they are in the same `dist`.
  return { code: code.replaceAll(/(?<=from ['"])@poker-bridge\//g, '#'), map };
}
