import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Every document of the repository for people, relative to it. */
export function documents(): readonly string[] {
  const under = (folder: string): string[] =>
    existsSync(join(root, folder))
      ? readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(
          (path) => `${folder}/${path}`,
        )
      : [];
  const packages = readdirSync(join(root, 'libs')).map((name) => `libs/${name}/README.md`);
  const markdown = ['docs', 'examples'].flatMap(under).filter((path) => path.endsWith('.md'));
  return [
    'CONTRIBUTING.md',
    'README.md',
    'SECURITY.md',
    'lab/README.md',
    'deploy/helm/poker-bridge/README.md',
    ...markdown,
    ...packages.filter((path) => existsSync(join(root, path))),
  ].toSorted();
}

export function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** The tables, each under the nearest heading above it; cells as they are written. */
function tablesOf(text: string) {
  const tables: { heading: string; header: readonly string[]; rows: (readonly string[])[] }[] = [];
  let isInTable = false;
  for (const { line, heading, isCode } of linesOf(text)) {
    const isRow = !isCode && line.startsWith('|');
    if (isRow && !isInTable) tables.push({ heading, header: cellsOf(line), rows: [] });
    else if (isRow && !/^\|[\s|:-]+$/.test(line)) tables.at(-1)?.rows.push(cellsOf(line));
    isInTable = isRow;
  }
  return tables;
}

/** Every line of every table, as it is written. */
export function rowsOf(text: string): readonly string[] {
  return linesOf(text).flatMap(({ line, isCode }) => (!isCode && line.startsWith('|') ? [line] : []));
}

/** The tables whose first column has this title. */
export function tablesWith(text: string, firstColumn: string) {
  const tables = tablesOf(text).filter(({ header }) => header[0] === firstColumn);
  if (tables.length === 0) throw new Error(`there is no table of ${firstColumn}`);
  return tables;
}

/** Whether a path of the repository exists; a spec may be named without its suffix. */
export function isPath(path: string): boolean {
  return ['', '.spec.ts', '.slow.spec.ts', '.spec.mjs'].some((suffix) =>
    existsSync(join(root, path + suffix)),
  );
}

/** The lines of running text under a heading, as they are wrapped. */
export function paragraphsOf(text: string, heading: string): readonly string[] {
  return linesOf(text).flatMap((at) => (at.heading === heading && !at.isCode ? [at.line] : []));
}

/** Every item of a list at the left margin, with the items under it. Wrapped lines are joined. */
export function itemsOf(text: string) {
  const lists: { heading: string; text: string; items: string[] }[] = [];
  let isInItem = false;
  for (const { line, heading, isCode } of linesOf(text)) {
    const [, indent, start, continued] = /^( *)(?:- (.+)|(\S.*))$/.exec(isCode ? '' : line) ?? [];
    const last = lists.at(-1);
    if (start !== undefined && indent === '') lists.push({ heading, text: start, items: [] });
    else if (start !== undefined && isInItem) last?.items.push(start);
    else if (continued !== undefined && isInItem && last) {
      if (last.items.length === 0) last.text += ` ${continued}`;
      else last.items.push(`${last.items.pop()} ${continued}`);
    }
    isInItem = indent !== undefined && (start !== undefined || (isInItem && indent !== ''));
  }
  return lists;
}

/** The code between fences; its language is '' if none is named. */
export function fencesOf(text: string) {
  const fences: { heading: string; language: string; text: string }[] = [];
  for (const { line, heading, isCode, opens } of linesOf(text)) {
    if (opens !== undefined) fences.push({ heading, language: opens, text: '' });
    else if (isCode) fences[fences.length - 1]!.text += `${line}\n`;
  }
  return fences;
}

/** Returns the code spans of running text and tables. */
export function codeSpansOf(text: string): readonly string[] {
  const prose = linesOf(text).filter(({ isCode, opens }) => !isCode && opens === undefined);
  const joined = prose.map(({ line }) => line).join('\n');
  return [...joined.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span.replace(/\s+/g, ' '));
}

/** The one code span that a cell consists of. */
export function code(cell: string | undefined): string {
  const [, span] = /^`([^`]+)`$/.exec(cell ?? '') ?? [];
  if (span === undefined) throw new Error(`not one code span: ${cell}`);
  return span;
}

/** The anchors of a document's headings, as GitHub makes them. */
export function anchorsOf(text: string): ReadonlySet<string> {
  const headings = linesOf(text).filter(({ line, isCode }) => !isCode && /^#+ /.test(line));
  return new Set(
    headings.map(({ heading }) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

interface Line {
  readonly line: string;
  readonly heading: string;
  /** Whether it is within a fence. */
  readonly isCode: boolean;
  /** The language of the fence that it opens. */
  readonly opens?: string;
}

function linesOf(text: string): readonly Line[] {
  const lines: Line[] = [];
  let heading = '';
  let isFenced = false;
  for (const line of text.split('\n')) {
    const [, language] = /^```(\w*)$/.exec(line) ?? [];
    if (language !== undefined) {
      if (!isFenced) lines.push({ line, heading, isCode: false, opens: language });
      isFenced = !isFenced;
      continue;
    }
    if (!isFenced && /^#+ /.test(line)) heading = line.replace(/^#+ /, '');
    lines.push({ line, heading, isCode: isFenced });
  }
  return lines;
}

/** A bar in a code span is written `\|`. */
function cellsOf(line: string): readonly string[] {
  return line
    .slice(1, line.lastIndexOf('|'))
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
}

/** The code under a folder, without its specs. */
export function sourcesOf(folder: string) {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !/\.(spec|fixture)\.ts$/.test(path))
    .map((path) => ({ path: `${folder}/${path}`, text: read(`${folder}/${path}`) }));
}

export function stringsIn(source: string): readonly string[] {
  return [...source.matchAll(/'([^'\n]*)'/g)].map(([, text = '']) => text);
}
