import {
  chmodSync,
  closeSync,
  globSync,
  lstatSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

const ELF = Buffer.from([0x7f, 0x45, 0x4c, 0x46]);
const PACKAGED_ROOT = 'ROOTDIR=/usr/lib/erlang';

/**
 * Has the Erlang of a folder run with the loader and the libraries of that folder, since those of the machine may be
 * older: each of its programs becomes a script of the same name that starts it so.
 *
 * @param folder what the packages were unpacked into
 * @param home where the folder will stand
 */
export function useOwnLoader(folder: string, home: string): void {
  // Up to Debian 12, some packages have their libraries outside of /usr.
  const [loader] = globSync('{usr/lib,lib}/*/ld-linux-*.so.*', { cwd: folder });
  if (loader === undefined) throw new Error(`${folder} holds no loader`);
  const triplet = basename(dirname(loader));
  const libraries = ['usr/lib', 'lib'].map((each) => join(home, each, triplet)).join(':');
  const programs = globSync(['usr/lib/erlang/{bin,erts-*/bin}/*', 'usr/lib/erlang/lib/*/priv/bin/*'], {
    cwd: folder,
  });
  for (const program of programs.filter((each) => isProgram(join(folder, each)))) {
    const [file, final] = [join(folder, program), join(home, program)];
    renameSync(file, `${file}.elf`);
    writeFileSync(
      file,
      `#!/bin/sh\nexec '${join(home, loader)}' --library-path '${libraries}' --argv0 '${final}' '${final}.elf' "$@"\n`,
    );
    chmodSync(file, 0o755);
  }
  for (const script of globSync('usr/lib/erlang/{bin,erts-*/bin}/erl', { cwd: folder })) {
    const file = join(folder, script);
    if (!lstatSync(file).isFile()) continue;
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replaceAll(PACKAGED_ROOT, `ROOTDIR='${join(home, 'usr/lib/erlang')}'`));
  }
}

function isProgram(file: string): boolean {
  if (!lstatSync(file).isFile()) return false;
  const descriptor = openSync(file, 'r');
  const start = Buffer.alloc(ELF.length);
  readSync(descriptor, start);
  closeSync(descriptor);
  return start.equals(ELF);
}
