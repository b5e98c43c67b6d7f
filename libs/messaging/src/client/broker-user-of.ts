/** As which amqplib connects if the URL names nobody. */
const DEFAULT_USER = 'guest';

/** The broker user of a connection with this URL. */
export function brokerUserOf(url: string): string {
  return decodeURIComponent(URL.parse(url)?.username ?? '') || DEFAULT_USER;
}
