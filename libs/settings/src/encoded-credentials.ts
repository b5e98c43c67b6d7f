/** @throws Error if the user name or the password of an address cannot be decoded */
export function requireEncodedCredentials({ username, password }: URL): void {
  try {
    decodeURIComponent(username + password);
  } catch {
    throw new Error('must have its user name and password percent-encoded');
  }
}
