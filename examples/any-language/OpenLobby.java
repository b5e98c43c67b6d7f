import com.rabbitmq.client.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.*;

/** Opens the lobby for a player: AMQP_URL=amqp://guest:guest@127.0.0.1:5672 java OpenLobby.java */
public class OpenLobby {
    public static void main(String[] args) throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(System.getenv("AMQP_URL"));
        try (Connection connection = factory.newConnection()) {
            Channel channel = connection.createChannel();
            BlockingQueue<String> replies = new LinkedBlockingQueue<>();
            channel.basicConsume("amq.rabbitmq.reply-to", true, new DefaultConsumer(channel) {
                @Override
                public void handleDelivery(
                        String tag, Envelope envelope, AMQP.BasicProperties reply, byte[] body) {
                    replies.add(reply.getType() + " " + new String(body, StandardCharsets.UTF_8));
                }
            });
            String id = UUID.randomUUID().toString(); // The same id is the same command: keep it for a retry.
            long deadline = System.currentTimeMillis() + 10_000;
            AMQP.BasicProperties properties = new AMQP.BasicProperties.Builder()
                .messageId(id).replyTo("amq.rabbitmq.reply-to").deliveryMode(2)
                .headers(Map.of("x-deadline", deadline)).build();
            byte[] body = "{\"player\":{\"id\":\"player-1\"},\"session\":{\"lang\":\"en\"}}".getBytes("UTF-8");
            String prefix = System.getenv().getOrDefault("AMQP_PREFIX", "poker");
            channel.basicPublish(prefix + ".commands", "game.open", true, properties, body);
            String reply = replies.poll(12, TimeUnit.SECONDS); // A final reply comes within a second of the deadline.
            System.out.println(reply == null ? "NO_REPLY: send the command again under the id " + id : reply);
            if (reply == null || reply.startsWith("command.failed ")) System.exit(1);
        }
    }
}
