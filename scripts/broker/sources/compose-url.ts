interface ComposeConfig {
  readonly services?: Readonly<
    Record<string, { readonly environment?: Readonly<Record<string, string | null>> }>
  >;
}

/**
 * The AMQP URL of a service of Docker Compose.
 *
 * @param configJson what `docker compose config --format json` prints: the user and the password stand in it
 * @param published what `docker compose port` prints, for example `0.0.0.0:5672`
 */
export function composeUrl(configJson: string, published: string, service: string): string {
  const { services = {} } = JSON.parse(configJson) as ComposeConfig;
  const environment = services[service]?.environment ?? {};
  const port = /:(\d+)$/.exec(published)?.[1];
  if (port === undefined) throw new Error(`its service ${service} publishes no port for AMQP`);
  const url = new URL(`amqp://127.0.0.1:${port}`);
  url.username = environment['RABBITMQ_DEFAULT_USER'] ?? 'guest';
  url.password = environment['RABBITMQ_DEFAULT_PASS'] ?? 'guest';
  return url.href;
}
