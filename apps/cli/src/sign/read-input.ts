import { usageError } from '../exit.ts';
import { readSource } from '../input.ts';
import type { Options } from '../options.ts';
import { readCurl } from './read-curl.ts';
import { type HttpRequest, readHar, readRawRequest, REQUEST_LINE } from './read-http.ts';
import { readRows, readSigner, type Row, rowOfCommand, rowOfRequest } from './rows.ts';

export type InputOptions = Options<'curl' | 'har' | 'request' | 'command' | 'data' | 'operator'>;

/** What holds requests: its option, how errors call it, what a file of it begins with, and how it is read. */
const KINDS: readonly (readonly [
  option: 'curl' | 'request' | 'har',
  name: string,
  start: RegExp,
  read: (text: string) => readonly HttpRequest[],
])[] = [
  ['curl', 'the curl line', /^\s*(\$\s+)?curl\s/, (text) => [readCurl(text)]],
  ['request', 'the request', REQUEST_LINE, (text) => [readRawRequest(text)]],
  ['har', 'the archive', /^\s*\{\s*"log"\s*:/, readHar],
];

/** @throws ExitError unless exactly one input is given, and can be read */
export async function readInput(
  path: string | undefined,
  options: InputOptions,
): Promise<{ readonly rows: readonly Row[]; readonly isList: boolean }> {
  const { command, data, operator, curl, har, request } = options;
  const given = [path, curl, har, request, command].filter((each) => each !== undefined);
  if (given.length !== 1) throw usageError('name one FILE, or one of --curl, --har, --request and --command');
  if ((command === undefined) !== (data === undefined))
    throw usageError('--command and --data belong together');
  if (command !== undefined && data !== undefined) {
    return { rows: [await rowOfCommand(command, data, operator)], isList: false };
  }
  const [source = '-'] = given;
  // A line that was copied is pasted more easily than it is put into a file.
  const text = curl !== undefined && /^\s*curl\s/.test(curl) ? curl : await readSource(source);
  const isNamed = path === undefined;
  const kind = KINDS.find(([option, , start]) =>
    isNamed ? options[option] !== undefined : start.test(text),
  );
  if (!kind) return readRows(text);
  const [, name, , read] = kind;
  const signer = readSigner(operator);
  try {
    const rows = read(text).map((each) => rowOfRequest(each, signer));
    return { rows, isList: rows.length > 1 };
  } catch (error) {
    throw usageError(`${name} ${(error as Error).message}`);
  }
}
