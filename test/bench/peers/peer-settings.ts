export const settings = {
  amqpUrl: process.env['AMQP_URL'] ?? '',
  queue: process.env['QUEUE'] ?? '',
  queueType: process.env['QUEUE_TYPE'] === 'quorum' ? 'quorum' : 'classic',
  prefetch: Number(process.env['PREFETCH'] ?? 100),
  baseUrl: process.env['PLATFORM_BASE_URL'] ?? '',
  clientId: process.env['PLATFORM_CLIENT_ID'] ?? '',
  secretKey: process.env['PLATFORM_SECRET_KEY'] ?? '',
} as const;
