/** The name of a language in that language itself; undefined if the code is not valid or not known. */
export function languageName(code: string): string | undefined {
  try {
    return new Intl.DisplayNames([code], { type: 'language', fallback: 'none' }).of(code);
  } catch {
    return undefined;
  }
}
