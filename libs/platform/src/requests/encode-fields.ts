/** What `encodeURIComponent` leaves as it is. */
const UNRESERVED = /^[\w.!~*'()-]*$/;

/** As `encodeURIComponent`, for texts that mostly need none. */
export function encodeText(text: string): string {
  return UNRESERVED.test(text) ? text : encodeURIComponent(text);
}

/** Names and values of a form or a query; `undefined` is absent. */
export type Fields = Readonly<Record<string, string | undefined>>;

/** Encodes fields as `name=value&…`, for forms and queries; a space is `%20` and a plus `%2B`, which every decoder reads alike. */
export function encodeFields(fields: Fields): string {
  let text = '';
  for (const name in fields) {
    const value = fields[name];
    if (value === undefined) continue;
    if (text !== '') text += '&';
    text += `${encodeText(name)}=${encodeText(value)}`;
  }
  return text;
}
