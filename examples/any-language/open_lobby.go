// Opens the lobby for a player: AMQP_URL=amqp://guest:guest@127.0.0.1:5672 go run open_lobby.go
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"
)

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func main() {
	channel := must(must(amqp.Dial(os.Getenv("AMQP_URL"))).Channel())
	replies := must(channel.Consume("amq.rabbitmq.reply-to", "", true, false, false, false, nil))
	id := fmt.Sprintf("go-%d", time.Now().UnixNano())
	command := amqp.Publishing{
		MessageId:    id, // The same id is the same command: keep it for a retry.
		ReplyTo:      "amq.rabbitmq.reply-to",
		DeliveryMode: amqp.Persistent,
		Headers:      amqp.Table{"x-deadline": time.Now().Add(10 * time.Second).UnixMilli()},
		Body:         []byte(`{"player":{"id":"player-1"},"session":{"lang":"en"}}`),
	}
	prefix := os.Getenv("AMQP_PREFIX")
	if prefix == "" {
		prefix = "poker"
	}
	if err := channel.Publish(prefix+".commands", "game.open", true, false, command); err != nil {
		log.Fatal(err)
	}
	select {
	case reply, isOpen := <-replies:
		if !isOpen {
			log.Fatal("the broker closed the channel: it has no exchange ", prefix, ".commands")
		}
		data := map[string]any{}
		if err := json.Unmarshal(reply.Body, &data); err != nil {
			log.Fatal(err)
		}
		if reply.Type == "command.failed" {
			log.Fatalf("%v: %v", data["code"], data["message"])
		}
		fmt.Println("lobby:", data["url"])
	case <-time.After(12 * time.Second):
		log.Fatal("NO_REPLY: send the command again under the id ", id)
	}
}
