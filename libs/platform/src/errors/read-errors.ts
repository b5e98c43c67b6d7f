import type { PlatformErrorEntry } from '#contracts';

/** The kind of a body that is no error document of a known format. */
type BodyKind = 'html' | 'json' | 'text';
type Members = Readonly<Record<string, unknown>>;

const MAX_ENTRIES = 20;
/** The kind of a body by its first character; any other body is a text. */
const KINDS: Readonly<Record<string, BodyKind>> = { '<': 'html', '{': 'json', '[': 'json' };
/** Source members by the entry member they become; the first one present is used. */
const TITLES = ['title', 'name', 'hydra:title'];
const DETAILS = ['detail', 'description', 'message', 'hydra:description'];
const BARE = /^(?:bad request|an error occurred)?$/;
const MEMBER_BEFORE = /^([\w.[\]/-]{1,100}):\s/;
const SEPARATORS = /[/.[\]#]+/;
/** The location of request members in JSON:API documents. */
const AROUND = new Set(['', 'data', 'attributes']);

/**
 * Reads the body of an error answer: JSON:API (`errors`), problem documents (RFC 9457), `violations` of
 * Symfony, a list of `{field, message}` or `{name, message, status}` of Yii, and `{title, description}`.
 *
 * @param text the body; `undefined` if it could not be read
 */
export function readErrors(text: string | undefined) {
  const body = text?.trim() ?? '';
  const document = parsed(body);
  const found = errorsOf(document).slice(0, MAX_ENTRIES);
  const lines = found.flatMap((error) => textsOf(error)).flatMap((each) => each.split('\n'));
  const entries = found.map(entryOf);
  const pointers = entries.flatMap(({ pointer }) => pointer || []);
  const kind = KINDS[body.charAt(0)] ?? 'text';
  const isJsonApi = Array.isArray(membersOf(document)['errors']);
  const isEmpty = body === '' && text !== undefined;
  const isForeign = !isEmpty && !isJsonApi && entries.length === 0;
  return {
    /** Entries that may be passed on after redaction. */
    entries,
    /** All lines of all texts, in lower case, without a final full stop and without a leading member name. */
    texts: lines.map((line) => plain(line.trim().replace(MEMBER_BEFORE, ''))),
    /** The path to each offending member, in lower case and without separators: `['player', 'authtype']`. */
    paths: [...pointers, ...lines.flatMap((line) => memberBefore(line) ?? [])].map(pathOf),
    /** Undefined for an empty body, and for an error document of a known format. */
    foreign: isForeign ? kind : undefined,
    /** The same, if JSON:API were the only known format. */
    otherThanJsonApi: isEmpty || isJsonApi ? undefined : kind,
    /** True if the body is empty or says only that the request is bad. */
    isBare:
      isForeign || isEmpty
        ? text !== undefined && BARE.test(plain(body))
        : pointers.length === 0 && lines.every((line) => BARE.test(plain(line))),
  };
}

/** Returns the member name at the beginning of a text, such as `player.nick: `. */
export function memberBefore(text = ''): string | undefined {
  return MEMBER_BEFORE.exec(text.trim())?.[1];
}

/** Returns the path of member names in a pointer that uses slashes, dots or brackets. */
export function pathOf(pointer: string): readonly string[] {
  const names = pointer.trim().split(SEPARATORS);
  const first = names.findIndex((name) => !AROUND.has(name));
  return first === -1 ? [] : names.slice(first).filter(Boolean).map(plainName);
}

/** Normalizes the spelling of a member name: `auth-type` and `authType` become equal. */
export function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, '');
}

/** Returns the entries of a document; the document itself is an entry if it contains a text. */
function errorsOf(document: unknown): readonly Members[] {
  if (Array.isArray(document)) return document.map(membersOf).filter((each) => textsOf(each).length > 0);
  const own = membersOf(document);
  const isOwn = textsOf(own).length > 0;
  const { errors, violations } = own;
  return [violations, errors]
    .flatMap((list) => (Array.isArray(list) ? list.map(membersOf) : []))
    .concat(isOwn ? own : []);
}

function textsOf(error: Members): string[] {
  return [...DETAILS, ...TITLES].map((name) => error[name]).filter((text) => typeof text === 'string');
}

function entryOf(error: Members): PlatformErrorEntry {
  const status = Number(error['status'] ?? Number.NaN);
  const pointer =
    membersOf(error['source'])['pointer'] ?? error['propertyPath'] ?? error['field'] ?? error['pointer'];
  return {
    status: Number.isSafeInteger(status) ? status : undefined,
    title: firstText(error, TITLES),
    detail: firstText(error, DETAILS),
    pointer: typeof pointer === 'string' ? pointer : undefined,
  };
}

function firstText(error: Members, names: readonly string[]): string | undefined {
  return names.map((name) => error[name]).find((text) => typeof text === 'string');
}

function plain(text: string): string {
  return text.trim().toLowerCase().replace(/\.$/, '');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function membersOf(value: unknown): Members {
  return typeof value === 'object' ? ((value ?? {}) as Members) : {};
}
