// A typical consumer: a prefetch, a timeout for the call, and an error reply if the call fails. It ignores
// the deadlines of its callers.
import { consumeBare, settings } from '../../bench/peers/peer.ts';

const CALL_TIMEOUT_MS = 5_000;

await consumeBare(settings.prefetch, async (message, channel) => {
  const { replyTo, correlationId } = message.properties as { replyTo: string; correlationId: string };
  const body = message.content.toString();
  const { userId } = JSON.parse(body) as { userId: string };
  const url = `${settings.baseUrl}/v2/app/users/${encodeURIComponent(userId)}/session`;
  const signal = AbortSignal.timeout(CALL_TIMEOUT_MS);
  const [type, reply] = await fetch(url, { method: 'POST', body, signal }).then(
    async (response) => ['session.created', await response.json()] as const,
    (error: Error) => ['command.failed', { code: error.name }] as const,
  );
  const options = { type, correlationId, persistent: true };
  channel.sendToQueue(replyTo, Buffer.from(JSON.stringify(reply)), options, (error) =>
    error ? channel.nack(message) : channel.ack(message),
  );
});
