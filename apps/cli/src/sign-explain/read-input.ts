import { usageError } from '../exit.ts';
import { readSource } from '../input/read-source.ts';
import { readOwnSettings } from './own-settings.ts';
import { readCurl } from './read-curl.ts';
import { readHar } from './read-har.ts';
import { type HttpRequest, isRawRequest, readRawRequest } from './read-raw-request.ts';
import { readRows, type Row } from './read-rows.ts';
import { rowOfCommand } from './row-of-command.ts';
import { rowOfRequest } from './row-of-request.ts';

/** Where the request to explain comes from: one of these. */
export interface InputOptions {
  readonly curl?: string;
  readonly har?: string;
  readonly request?: string;
  readonly command?: string;
  readonly data?: string;
  readonly operator?: string;
}

/** The rows, and whether they were given as a list. */
export interface Input {
  readonly rows: readonly Row[];
  readonly isList: boolean;
}

type Reader = (text: string) => readonly HttpRequest[];

const READERS = {
  curl: (text) => [readCurl(text)],
  har: readHar,
  request: (text) => [readRawRequest(text)],
} as const satisfies Record<string, Reader>;
type Kind = keyof typeof READERS;
/** As errors call them. */
const NAMES: Readonly<Record<Kind, string>> = {
  curl: 'the curl line',
  har: 'the archive',
  request: 'the request',
};

/** @throws ExitError if there is not exactly one input, or it cannot be used */
export async function readInput(path: string | undefined, options: InputOptions): Promise<Input> {
  const { curl, har, request, command, data, operator } = options;
  const given = [path, curl, har, request, command].filter((each) => each !== undefined);
  if (given.length !== 1) throw usageError('name one FILE, or one of --curl, --har, --request and --command');
  if ((command === undefined) !== (data === undefined))
    throw usageError('--command and --data belong together');
  if (command !== undefined && data !== undefined) {
    return { rows: [await rowOfCommand(command, data, operator)], isList: false };
  }
  // A line that was copied is pasted more easily than it is put into a file.
  if (curl !== undefined)
    return rowsOf('curl', /^\s*curl\s/.test(curl) ? curl : await readSource(curl), operator);
  if (har !== undefined) return rowsOf('har', await readSource(har), operator);
  if (request !== undefined) return rowsOf('request', await readSource(request), operator);
  const text = await readSource(path ?? '-');
  const kind = kindOf(text);
  return kind === undefined ? readRows(text) : rowsOf(kind, text, operator);
}

/** What a file holds; undefined for rows of our own. */
function kindOf(text: string): Kind | undefined {
  if (/^\s*(\$\s+)?curl\s/.test(text)) return 'curl';
  if (isRawRequest(text)) return 'request';
  return /^\s*\{\s*"log"\s*:/.test(text) ? 'har' : undefined;
}

function rowsOf(kind: Kind, text: string, operator: string | undefined): Input {
  const own = readOwnSettings(operator);
  try {
    const rows = READERS[kind](text.replace(/^\s*\$\s+(?=curl\s)/, '')).map((each) =>
      rowOfRequest(each, own),
    );
    return { rows, isList: rows.length > 1 };
  } catch (error) {
    throw usageError(`${NAMES[kind]} ${(error as Error).message}`);
  }
}
