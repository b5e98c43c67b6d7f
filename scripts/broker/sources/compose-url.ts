/** The user that docker-compose.yml has for the demo, with a virtual host of its own. */
const USER = 'demo';
const SECRET = 'rabbitmq-demo';

interface ComposeConfig {
  readonly secrets?: Readonly<Record<string, { readonly file?: string }>>;
}

/**
 * The AMQP URL of the user `demo` of docker-compose.yml.
 *
 * @param configJson what `docker compose config --format json` prints: where the password is
 * @param published what `docker compose port` prints, for example `0.0.0.0:5672`
 * @param readFile gives the content of a file
 */
export function composeUrl(
  configJson: string,
  published: string,
  readFile: (path: string) => string,
): string {
  const { secrets = {} } = JSON.parse(configJson) as ComposeConfig;
  const file = secrets[SECRET]?.file;
  if (file === undefined) throw new Error(`it has no secret ${SECRET}`);
  const port = /:(\d+)$/.exec(published)?.[1];
  if (port === undefined) throw new Error('its RabbitMQ publishes no port for AMQP');
  const url = new URL(`amqp://127.0.0.1:${port}/${USER}`);
  url.username = USER;
  url.password = readFile(file).trim();
  return url.href;
}
