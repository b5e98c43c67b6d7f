<?php
// Opens the lobby for a player: AMQP_URL=amqp://guest:guest@127.0.0.1:5672 php open_lobby.php
// Replace this line by the autoload file of Composer.
require 'PhpAmqpLib/autoload.php';

use PhpAmqpLib\Connection\AMQPStreamConnection;
use PhpAmqpLib\Exception\AMQPTimeoutException;
use PhpAmqpLib\Message\AMQPMessage;
use PhpAmqpLib\Wire\AMQPTable;

$url = parse_url(getenv('AMQP_URL'));
$vhost = urldecode(substr($url['path'] ?? '', 1)) ?: '/';
$connection = new AMQPStreamConnection($url['host'], $url['port'] ?? 5672, $url['user'] ?? 'guest', $url['pass'] ?? 'guest', $vhost);
$channel = $connection->channel();
$reply = null;
$keep = function (AMQPMessage $message) use (&$reply) { $reply = $message; };
$channel->basic_consume('amq.rabbitmq.reply-to', '', false, true, false, false, $keep);
$id = bin2hex(random_bytes(16)); // The same id is the same command: keep it for a retry.
$command = new AMQPMessage('{"player":{"id":"player-1"},"session":{"lang":"en"}}', [
    'message_id' => $id,
    'reply_to' => 'amq.rabbitmq.reply-to',
    'delivery_mode' => AMQPMessage::DELIVERY_MODE_PERSISTENT,
    'application_headers' => new AMQPTable(['x-deadline' => (int) (microtime(true) * 1000) + 10_000]),
]);
$prefix = getenv('AMQP_PREFIX') ?: 'poker';
$channel->basic_publish($command, "$prefix.commands", 'game.open', true);
try {
    while ($reply === null) $channel->wait(null, false, 12);
} catch (AMQPTimeoutException) {
    fail("NO_REPLY: send the command again under the id $id");
}
$data = json_decode($reply->getBody(), true, 512, JSON_BIGINT_AS_STRING);
if ($reply->get('type') === 'command.failed') fail("{$data['code']}: {$data['message']}");
echo "lobby: {$data['url']}\n";

function fail(string $message): never
{
    fwrite(STDERR, "$message\n");
    exit(1);
}
