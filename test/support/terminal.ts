import { spawn } from 'node:child_process';
import { once } from 'node:events';

const ESC = '\u001b';
const ESCAPE = new RegExp(String.raw`^${ESC}\[[\d;]*([A-Za-z])`);
/** The end of a prompt, after which the cursor is placed. */
const QUESTION = new RegExp(String.raw`\] (${ESC}\[[\d;]*[A-Za-z])*$`);

/**
 * Runs a program on a terminal of the given width (`script` of util-linux), whatever its exit code.
 *
 * @param keys the input that is typed after a prompt that ends in `] `
 * @returns its output, including standard error, and the wrapped lines that the terminal finally shows
 */
export async function runOnTerminal(
  command: readonly string[],
  columns: number,
  variables: Readonly<Record<string, string>>,
  keys?: string,
) {
  const quoted = command.map((word) => `'${word}'`).join(' ');
  const env = { PATH: process.env['PATH'], SHELL: '/bin/sh', TERM: 'xterm', ...variables };
  const args = ['-qec', `stty cols ${columns} -echo; exec ${quoted}`, '/dev/null'];
  const child = spawn('script', args, { env, stdio: ['pipe', 'pipe', 'inherit'], timeout: 60_000 });
  let written = '';
  let toType = keys;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    written += text;
    if (toType === undefined || !QUESTION.test(written)) return;
    child.stdin.write(toType);
    toType = undefined;
  });
  await once(child, 'close');
  return { written, lines: shown(written, columns) };
}

/**
 * Returns the lines that a terminal shows for a text with line feeds, carriage returns and erased line ends.
 */
function shown(written: string, columns: number): string[] {
  const lines: string[][] = [[]];
  let [row, column] = [0, 0];
  const lineAt = (index: number): string[] => (lines[index] ??= []);
  for (let rest = written; rest !== '';) {
    const [escape = '', letter] = ESCAPE.exec(rest) ?? [];
    const [character = ''] = escape === '' ? rest : [''];
    rest = rest.slice(escape.length || character.length);
    if (letter === 'K') lineAt(row).length = Math.min(lineAt(row).length, column);
    else if (character === '\r') column = 0;
    else if (character === '\n') row += 1;
    else if (character !== '') {
      if (column === columns) [row, column] = [row + 1, 0];
      lineAt(row)[column] = character;
      column += 1;
    }
  }
  return Array.from(lines, (line: string[] | undefined) =>
    Array.from(line ?? [], (cell: string | undefined) => cell ?? ' ')
      .join('')
      .trimEnd(),
  );
}
