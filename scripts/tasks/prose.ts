import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The width of Prettier for code; it does not wrap comments. */
const MAX_COMMENT_COLUMNS = 110;
const COMMENT = /^\s*(?:\/\/|\/?\*) ?(?<text>.*)/;
const PYTHON_COMMENT = /^\s*#(?!!) ?(?<text>.*)/;
/** A long word cannot be wrapped, and neither can a directive of a tool. */
const UNBREAKABLE = /\S{70}|oxlint-disable|prettier-ignore/;
const TITLE = /^\s*(?:it|test|describe)(?:\.each\([^)]*\))?\((['"`])(?<title>.*?)\1,/;
/** Words that start a sentence. Names of classes and commands may start a title. */
const SENTENCE =
  /^(?:A|After|All|An|Before|Each|Every|If|It|Its|No|One|The|These|This|What|When|With|Without)\b/;
const ARCHAIC =
  /\b(?:albeit|amid|at all times|herein|in vain|made anew|thereby|therein|thereof|whence|whereupon)\b/i;

/** Returns a line for each sentence that the house's rules of prose exclude without exception. */
function faultsIn(path: string): string[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.flatMap((line, index) => {
    const at = `${path}:${index + 1}`;
    const pattern = path.endsWith('.py') ? PYTHON_COMMENT : COMMENT;
    const comment = path.endsWith('.md') ? line : pattern.exec(line)?.groups?.['text'];
    const title = path.endsWith('.spec.ts') ? TITLE.exec(line)?.groups?.['title'] : undefined;
    const faults: string[] = [];
    const isWide = line.length > MAX_COMMENT_COLUMNS && !UNBREAKABLE.test(line);
    if (comment !== undefined && !path.endsWith('.md') && isWide)
      faults.push(
        `${at} a comment line has ${line.length} columns; at most ${MAX_COMMENT_COLUMNS} are allowed`,
      );
    if (title !== undefined && (SENTENCE.test(title) || title.endsWith('.')))
      faults.push(`${at} a test title is a phrase, not a sentence: ${title}`);
    const [archaic] = ARCHAIC.exec(title ?? comment ?? '') ?? [];
    if (archaic !== undefined) faults.push(`${at} "${archaic}" is archaic; use the common word`);
    return faults;
  });
}

const files = execFileSync('git', ['ls-files', '-z', '*.ts', '*.mjs', '*.py', '*.md', ':!docs/contract'], {
  encoding: 'utf8',
});
const faults = files.split('\0').filter(Boolean).flatMap(faultsIn);
for (const fault of faults) console.error(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
