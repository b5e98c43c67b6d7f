// Opens the lobby for a player, with RabbitMQ.Client 6. In version 7, every call is asynchronous, and an IModel
// is an IChannel.
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Text;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;

static class OpenLobby
{
    static int Main()
    {
        var factory = new ConnectionFactory { Uri = new Uri(Environment.GetEnvironmentVariable("AMQP_URL")) };
        using (var connection = factory.CreateConnection())
        using (var channel = connection.CreateModel())
        {
            var replies = new BlockingCollection<string>();
            var consumer = new EventingBasicConsumer(channel);
            consumer.Received += (_, reply) =>
                replies.Add(reply.BasicProperties.Type + " " + Encoding.UTF8.GetString(reply.Body.ToArray()));
            channel.BasicConsume("amq.rabbitmq.reply-to", true, consumer);
            var properties = channel.CreateBasicProperties();
            properties.MessageId = Guid.NewGuid().ToString(); // The same id is the same command: keep it for a retry.
            properties.ReplyTo = "amq.rabbitmq.reply-to";
            properties.DeliveryMode = 2;
            var deadline = DateTimeOffset.UtcNow.AddSeconds(10).ToUnixTimeMilliseconds();
            properties.Headers = new Dictionary<string, object> { { "x-deadline", deadline } };
            var body = Encoding.UTF8.GetBytes("{\"player\":{\"id\":\"player-1\"},\"session\":{\"lang\":\"en\"}}");
            var prefix = Environment.GetEnvironmentVariable("AMQP_PREFIX") ?? "poker";
            channel.BasicPublish(prefix + ".commands", "game.open", true, properties, body);
            string answer;
            if (!replies.TryTake(out answer, TimeSpan.FromSeconds(12)))
                answer = "NO_REPLY: send the command again under the id " + properties.MessageId;
            Console.WriteLine(answer);
            return answer.StartsWith("game.opened ") ? 0 : 1;
        }
    }
}
