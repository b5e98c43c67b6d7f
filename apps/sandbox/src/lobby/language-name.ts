/** The name of a language in that language itself; undefined where the code is none, or is not known. */
export function languageName(code: string): string | undefined {
  try {
    return new Intl.DisplayNames([code], { type: 'language', fallback: 'none' }).of(code);
  } catch {
    return undefined;
  }
}
