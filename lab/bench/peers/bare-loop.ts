// A careful worker without a framework: the reply is persistent, and confirmed by the broker before the
// command is acknowledged.
import { consumeBare, createSession, type SessionData, settings } from './peer.ts';

await consumeBare(settings.prefetch, async (message, channel) => {
  const { replyTo, correlationId } = message.properties as { replyTo: string; correlationId: string };
  try {
    const session = await createSession(JSON.parse(message.content.toString()) as SessionData);
    channel.sendToQueue(
      replyTo,
      Buffer.from(JSON.stringify(session)),
      { correlationId, contentType: 'application/json', persistent: true },
      (error) => (error ? channel.nack(message) : channel.ack(message)),
    );
  } catch (error) {
    console.error(error);
    channel.nack(message);
  }
});
