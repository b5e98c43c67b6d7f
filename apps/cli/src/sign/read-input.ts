import { usageError } from '../exit.ts';
import { readSource } from '../input.ts';
import type { Options } from '../options.ts';
import { readCurl } from './read-curl.ts';
import { type HttpRequest, isRawRequest, readHar, readRawRequest } from './read-http.ts';
import { readRows, readSigner, type Row, rowOfCommand, rowOfRequest } from './rows.ts';

/** Where the request to explain comes from: one of these. */
export type InputOptions = Options<'curl' | 'har' | 'request' | 'command' | 'data' | 'operator'>;

interface Input {
  readonly rows: readonly Row[];
  readonly isList: boolean;
}

/** What holds requests: how errors call it, what a file of it begins with, and how it is read. */
interface Kind {
  readonly name: string;
  readonly isIt: (text: string) => boolean;
  readonly read: (text: string) => readonly HttpRequest[];
}

const KINDS = {
  curl: {
    name: 'the curl line',
    isIt: (text) => /^\s*(\$\s+)?curl\s/.test(text),
    read: (text) => [readCurl(text)],
  },
  request: { name: 'the request', isIt: isRawRequest, read: (text) => [readRawRequest(text)] },
  har: { name: 'the archive', isIt: (text) => /^\s*\{\s*"log"\s*:/.test(text), read: readHar },
} as const satisfies Record<string, Kind>;

/** @throws ExitError unless exactly one input is given, and can be read */
export async function readInput(path: string | undefined, options: InputOptions): Promise<Input> {
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
  const named = Object.keys(KINDS).find((each) => options[each as keyof typeof KINDS] !== undefined);
  const kind: Kind | undefined =
    named === undefined
      ? Object.values(KINDS).find(({ isIt }) => isIt(text))
      : KINDS[named as keyof typeof KINDS];
  if (!kind) return readRows(text);
  const signer = readSigner(operator);
  try {
    const rows = kind.read(text).map((each) => rowOfRequest(each, signer));
    return { rows, isList: rows.length > 1 };
  } catch (error) {
    throw usageError(`${kind.name} ${(error as Error).message}`);
  }
}
