// Adds to Debian's RabbitMQ.Client, which is of 2010, the members of version 6 that OpenLobby.cs uses.
extern alias debian;

using System;

namespace RabbitMQ.Client
{
    class ConnectionFactory : debian::RabbitMQ.Client.ConnectionFactory
    {
        public Uri Uri
        {
            set
            {
                var user = value.UserInfo.Split(':');
                if (user.Length == 2)
                {
                    UserName = Uri.UnescapeDataString(user[0]);
                    Password = Uri.UnescapeDataString(user[1]);
                }
                if (value.AbsolutePath.Length > 1)
                    VirtualHost = Uri.UnescapeDataString(value.AbsolutePath.Substring(1));
                HostName = value.Host;
                Port = value.Port < 0 ? 5672 : value.Port;
                // RabbitMQ treats the header of 0-9 as that of 0-9-1.
                Protocol = Protocols.AMQP_0_9;
            }
        }
    }

    static class Version6
    {
        public static string BasicConsume(
            this IModel channel, string queue, bool autoAck, IBasicConsumer consumer)
        {
            return channel.BasicConsume(queue, autoAck, null, consumer);
        }

        public static void BasicPublish(
            this IModel channel, string exchange, string routingKey, bool mandatory,
            IBasicProperties properties, byte[] body)
        {
            channel.BasicPublish(exchange, routingKey, mandatory, false, properties, body);
        }

        public static byte[] ToArray(this byte[] body)
        {
            return body;
        }
    }
}

namespace RabbitMQ.Client.Events
{
    class EventingBasicConsumer : debian::RabbitMQ.Client.Events.EventingBasicConsumer
    {
        public EventingBasicConsumer(IModel channel)
        {
            Model = channel;
        }
    }
}
